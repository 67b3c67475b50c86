#include <convene/runtime/data/scenario/locate.hpp>
#include <convene/runtime/data/scenario/source_text.hpp>

#include <utility>

namespace convene::host {

using namespace convene::protocol;

text_place source_text::locate(std::string_view pointer) const noexcept {
  const auto place = host::locate(json, pointer);
  return marks.empty() ? place : place_in_yaml(marks, place.column - 1);
}

result<parsed_source> parse_source(std::string text,
                                   const std::filesystem::path& file,
                                   bool relaxed) {
  if (is_yaml(file))
    return parse_yaml(text).map([](yaml_document&& read) {
      return parsed_source{std::move(read.value),
                           {std::move(read.json), std::move(read.marks)}};
    });
  return (relaxed ? parse_relaxed_json(text) : parse_json(text))
    .map([&text](json::value&& value) {
      return parsed_source{std::move(value), {std::move(text)}};
    });
}

} // namespace convene::host
