#include <convene/protocol/base/utf8.hpp>
#include <convene/protocol/base/uuid.hpp>
#include <convene/protocol/learning/sample_text.hpp>

#include <algorithm>

namespace convene::protocol {
namespace {

constexpr std::size_t word_bytes_max = 64;

std::string beginning_of(std::string_view text) {
  return std::string{cut_utf8(text, sample_text_bytes_max)};
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
