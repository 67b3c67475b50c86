#include <catch2/catch.hpp>
#include <convene/protocol/json/json_writer.hpp>

#include <string>

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
