// A libFuzzer target for the reader of YAML. What it accepts is JSON of the
// same value, its marks lie in the text, and every refusal has a place.
#include <convene/runtime/data/yaml/yaml.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

using namespace convene;

namespace {

void require(bool met, const char* what) {
  if (met)
    return;
  std::fprintf(stderr, "not so: %s\n", what);
  std::abort();
}

} // namespace

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer's name
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  const std::string_view text{reinterpret_cast<const char*>(data), size};
  const auto read = host::parse_yaml(text);
  if (!read) {
    require(read.error().line >= 1 && read.error().column >= 1,
            "a refusal has a place");
    return 0;
  }
  const auto again = protocol::parse_json(read->json);
  require(again && *again == read->value, "the JSON text has the value");
  const auto lines
    = std::ranges::count_if(text, [](char c) { return c == '\n' || c == '\r'; })
      + 1;
  require(std::ranges::is_sorted(read->marks, {}, &host::yaml_mark::offset),
          "marks are sorted");
  for (const auto& mark : read->marks) {
    require(mark.offset < read->json.size(), "a mark is of the JSON text");
    require(mark.line <= lines && mark.column <= size + 1,
            "a mark's place is in the text");
  }
  return 0;
}
