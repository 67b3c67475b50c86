#include <convene/protocol/base/uuid.hpp>
#include <convene/protocol/learning/sample_text.hpp>

#include <algorithm>

namespace convene::protocol {
namespace {

constexpr std::size_t word_bytes_max = 64;

/// The text's first characters; events are valid UTF-8.
std::string beginning_of(std::string_view text) {
  if (text.size() <= sample_text_bytes_max)
    return std::string{text};
  auto end = sample_text_bytes_max;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80)
    --end;
  return std::string{text.substr(0, end)};
}

bool is_word(std::string_view text) {
  return text.size() <= word_bytes_max && std::ranges::all_of(text, [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
         });
}

} // namespace

std::string sample_text::summary(std::string_view text) const {
  return scrub_ ? std::string{scrubbed_text} : beginning_of(text);
}

std::optional<std::string> sample_text::note(std::string_view text) const {
  if (scrub_ || text.empty())
    return std::nullopt;
  return beginning_of(text);
}

std::optional<std::string> sample_text::name(std::string_view text) const {
  if (text.empty() || (scrub_ && !parse_uuid(text)))
    return std::nullopt;
  return beginning_of(text);
}

std::optional<std::string> sample_text::word(std::string_view text) const {
  if (text.empty() || (scrub_ && !is_word(text)))
    return std::nullopt;
  return beginning_of(text);
}

} // namespace convene::protocol
