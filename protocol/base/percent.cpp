#include <convene/protocol/base/ascii.hpp>
#include <convene/protocol/base/percent.hpp>

#include <charconv>

namespace convene::protocol {

std::string percent_encoded(std::string_view text, std::string_view marks,
                            std::string_view digits) {
  std::string made;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (is_alnum(c) || marks.find(c) != marks.npos)
      made += c;
    else
      ((made += '%') += digits[byte >> 4U]) += digits[byte & 15U];
  }
  return made;
}

bool is_percent_escape(std::string_view text, std::size_t at) noexcept {
  return at + 2 < text.size() && text[at] == '%' && is_hex(text[at + 1])
         && is_hex(text[at + 2]);
}

bool has_whole_escapes(std::string_view text) noexcept {
  for (auto at = text.find('%'); at != text.npos; at = text.find('%', at + 3))
    if (!is_percent_escape(text, at))
      return false;
  return true;
}

std::string percent_decoded(std::string_view text) {
  std::string made;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (!is_percent_escape(text, at)) {
      made += text[at];
      continue;
    }
    unsigned char byte = 0;
    std::from_chars(text.data() + at + 1, text.data() + at + 3, byte, 16);
    made += static_cast<char>(byte);
    at += 2;
  }
  return made;
}

} // namespace convene::protocol
