#include <catch2/catch.hpp>
#include <convene/protocol/json/json_writer.hpp>

#include <limits>
#include <string>
#include <vector>

using namespace convene::protocol;

namespace {

std::string written(std::string_view text) {
  byte_buffer buffer;
  json_writer{buffer}.string(text);
  return std::string{buffer.view()};
}

/// The same, a byte at a time.
std::string spelled(std::string_view text) {
  std::string all = "\"";
  for (char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\')
      all += std::string{'\\', c};
    else if (c == '\n')
      all += "\\n";
    else if (c == '\t')
      all += "\\t";
    else if (c == '\r')
      all += "\\r";
    else if (byte < 0x20)
      all += std::string{"\\u00"} + "0123456789abcdef"[byte >> 4]
             + "0123456789abcdef"[byte & 15];
    else
      all += c;
  }
  return all + '"';
}

} // namespace

TEST_CASE("every byte at every place of a text is escaped as JSON demands") {
  for (std::size_t size = 0; size <= 68; ++size) {
    const auto plain
      = std::string{"abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz"
                    "abcdefghijklmnopqrstuvwxyz"}
          .substr(0, size);
    REQUIRE(written(plain) == spelled(plain));
    for (std::size_t at = 0; at < size; ++at)
      for (int byte = 0; byte < 256; ++byte) {
        auto text = plain;
        text[at] = static_cast<char>(byte);
        REQUIRE(written(text) == spelled(text));
        text.front() = '"';
        REQUIRE(written(text) == spelled(text));
      }
  }
}

TEST_CASE("numbers are written with all of their digits and no other") {
  using limits = std::numeric_limits<std::int64_t>;
  std::vector<std::int64_t> all{limits::min(), limits::max()};
  for (std::int64_t number = -200; number <= 20'000; ++number)
    all.push_back(number);
  for (const auto number : all) {
    byte_buffer buffer;
    json_writer{buffer}.number(number);
    REQUIRE(buffer.view() == std::to_string(number));
  }
}

TEST_CASE("what comes before a value is written as it is") {
  byte_buffer buffer;
  {
    json_writer out{buffer};
    out.string(R"({"a\n":)", "\n").number(R"(,"b":)", 12);
    out.id(R"(,"c":)", uuid{1, 2}).time(R"(,"d":)", 1).raw("}");
  }
  CHECK(buffer.view()
        == R"({"a\n":"\n","b":12,"c":"00000000-0000-0001-0000-000000000002",)"
           R"("d":"1970-01-01T00:00:00.001Z"})");
}

TEST_CASE("texts follow each other without a gap") {
  byte_buffer buffer;
  {
    json_writer out{buffer};
    for (int i = 0; i < 1000; ++i)
      out.string("nine char").raw(",");
  }
  CHECK(buffer.size() == 1000 * 12);
  CHECK(buffer.view().ends_with(R"("nine char","nine char",)"));
}
