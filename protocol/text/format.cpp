#include <convene/protocol/text/format.hpp>
#include <convene/protocol/text/pattern.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

namespace convene::protocol::validation {
namespace {

struct named_format {
  std::string_view name;
  format_check check;
};

constexpr std::array<named_format, 18> formats{{
  {"date", is_rfc3339_date},
  {"date-time", is_rfc3339_date_time},
  {"email", is_email},
  {"hostname", is_hostname},
  {"idn-email", is_idn_email},
  {"idn-hostname", is_idn_hostname},
  {"ipv4", is_ipv4},
  {"ipv6", is_ipv6},
  {"iri", is_iri},
  {"iri-reference", is_iri_reference},
  {"json-pointer", is_json_pointer},
  {"regex", is_regex},
  {"relative-json-pointer", is_relative_json_pointer},
  {"time", is_rfc3339_time},
  {"uri", is_uri},
  {"uri-reference", is_uri_reference},
  {"uri-template", is_uri_template},
  {"uuid", is_uuid},
}};

constexpr std::size_t regex_bytes_max = 4'096;

constexpr std::uint64_t each_byte(std::uint8_t byte) {
  return 0x0101010101010101ULL * byte;
}

/// The bytes at `at`; their order does not matter here.
template <class Word>
std::uint64_t load(const char* at) noexcept {
  Word word = 0;
  std::memcpy(&word, at, sizeof word);
  return word;
}

/// The top bit of each byte of `text` that is no hexadecimal digit. Works on
/// eight bytes at once; none may reach into its neighbour, so each is below
/// 0x80 before anything is added.
std::uint64_t not_hex(std::uint64_t text) noexcept {
  const auto low = text & each_byte(0x7f);
  const auto letter = low | each_byte(0x20);
  const auto at_least = [](std::uint64_t bytes, char c) {
    return bytes + each_byte(static_cast<std::uint8_t>(0x80 - c));
  };
  const auto digit = at_least(low, '0') & ~at_least(low, '9' + 1);
  const auto a_to_f = at_least(letter, 'a') & ~at_least(letter, 'f' + 1);
  return (~(digit | a_to_f) | text) & each_byte(0x80);
}

} // namespace

format_check find_format(std::string_view name) noexcept {
  const auto* const at = std::ranges::find(formats, name, &named_format::name);
  return at == formats.end() ? nullptr : at->check;
}

bool is_uuid(std::string_view text) {
  if (text.size() != 36)
    return false;
  const char* const at = text.data();
  const auto middle = load<std::uint32_t>(at + 9)
                      | load<std::uint32_t>(at + 14) << 32;
  const auto fourth = load<std::uint32_t>(at + 19)
                      | load<std::uint32_t>(at + 24) << 32;
  const auto wrong = not_hex(load<std::uint64_t>(at)) | not_hex(middle)
                     | not_hex(fourth) | not_hex(load<std::uint64_t>(at + 28));
  return wrong == 0 && at[8] == '-' && at[13] == '-' && at[18] == '-'
         && at[23] == '-';
}

bool is_json_pointer(std::string_view text) {
  if (!text.empty() && text[0] != '/')
    return false;
  for (auto at = text.find('~'); at != std::string_view::npos;
       at = text.find('~', at + 1))
    if (at + 1 == text.size() || (text[at + 1] != '0' && text[at + 1] != '1'))
      return false;
  return true;
}

bool is_relative_json_pointer(std::string_view text) {
  const auto digits = std::min(text.find_first_not_of("0123456789"),
                               text.size());
  if (digits == 0 || (digits > 1 && text[0] == '0'))
    return false;
  text.remove_prefix(digits);
  return text == "#" || is_json_pointer(text);
}

bool is_regex(std::string_view text) {
  if (text.size() > regex_bytes_max)
    return false;
  const auto made = make_pattern(text);
  return made || made.error().code == errc::unsupported
         || made.error().rule == "pattern_steps";
}

} // namespace convene::protocol::validation
