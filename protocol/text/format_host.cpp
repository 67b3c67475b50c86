#include <convene/protocol/base/ascii.hpp>
#include <convene/protocol/base/utf8.hpp>
#include <convene/protocol/text/format.hpp>

#include <algorithm>
#include <array>
#include <cstddef>

namespace convene::protocol::validation {
namespace {

constexpr bool is_wide(char c) noexcept {
  return static_cast<unsigned char>(c) >= 0x80;
}

/// Letters that RFC 5892 (2.6) forbids although their category would do.
constexpr std::array<std::string_view, 10> forbidden_letters{
  "\u0640", "\u07fa", "\u302e", "\u302f", "\u3031",
  "\u3032", "\u3033", "\u3034", "\u3035", "\u303b"};

/// One name between dots. A label beyond ASCII is sent as `xn--` and at least
/// a byte for each letter, which bounds its length.
bool is_label(std::string_view label, bool wide) noexcept {
  if (label.empty() || label.front() == '-' || label.back() == '-')
    return false;
  std::size_t letters = 0;
  bool is_ascii = true;
  for (char c : label) {
    if (!is_alnum(c) && c != '-' && !(wide && is_wide(c)))
      return false;
    is_ascii = is_ascii && !is_wide(c);
    letters += begins_character(c) ? 1 : 0;
  }
  return letters <= (is_ascii ? 63U : 59U)
         && (is_ascii || std::ranges::none_of(forbidden_letters, [&](auto c) {
               return label.find(c) != std::string_view::npos;
             }));
}

bool is_host(std::string_view text, bool wide) noexcept {
  if (text.size() > (wide ? 1012U : 253U))
    return false;
  while (true) {
    const auto dot = text.find('.');
    if (!is_label(text.substr(0, dot), wide))
      return false;
    if (dot == std::string_view::npos)
      return true;
    text.remove_prefix(dot + 1);
  }
}

/// Dotted words, or anything printable in double quotes.
bool is_local_part(std::string_view text, bool wide) noexcept {
  if (text.empty() || text.size() > 256)
    return false;
  if (text.front() == '"') {
    if (text.size() < 2 || text.back() != '"')
      return false;
    text = text.substr(1, text.size() - 2);
    for (std::size_t i = 0; i < text.size(); ++i) {
      const bool escaped = text[i] == '\\';
      if (escaped && ++i == text.size())
        return false;
      if ((!escaped && text[i] == '"')
          || (text[i] < ' ' && !(wide && is_wide(text[i]))))
        return false;
    }
    return true;
  }
  return text.front() != '.' && text.back() != '.'
         && text.find("..") == std::string_view::npos
         && std::ranges::all_of(text, [&](char c) {
              constexpr std::string_view others = ".!#$%&'*+-/=?^_`{|}~";
              return is_alnum(c) || others.find(c) != std::string_view::npos
                     || (wide && is_wide(c));
            });
}

bool is_mail(std::string_view text, bool wide) noexcept {
  const auto at = text.rfind('@');
  if (at == std::string_view::npos || !is_local_part(text.substr(0, at), wide))
    return false;
  const auto host = text.substr(at + 1);
  if (!host.starts_with('[') || !host.ends_with(']') || host.size() < 2)
    return is_host(host, wide);
  const auto address = host.substr(1, host.size() - 2);
  return address.starts_with("IPv6:") ? is_ipv6(address.substr(5))
                                      : is_ipv4(address);
}

/// The groups between colons; -1 if one is wrong. The last may be an IPv4
/// address, which counts as two.
int count_groups(std::string_view text, bool may_end_in_ipv4) noexcept {
  for (int groups = 1;; ++groups) {
    const auto colon = text.find(':');
    const auto group = text.substr(0, colon);
    const bool is_last = colon == std::string_view::npos;
    if (is_last && may_end_in_ipv4 && group.find('.') != std::string_view::npos)
      return is_ipv4(group) ? groups + 1 : -1;
    if (group.empty() || group.size() > 4
        || !std::ranges::all_of(group, is_hex))
      return -1;
    if (is_last)
      return groups;
    text.remove_prefix(colon + 1);
  }
}

} // namespace

bool is_hostname(std::string_view text) {
  return is_host(text, false);
}

bool is_idn_hostname(std::string_view text) {
  return is_host(text, true);
}

bool is_email(std::string_view text) {
  return is_mail(text, false);
}

bool is_idn_email(std::string_view text) {
  return is_mail(text, true);
}

bool is_ipv4(std::string_view text) {
  for (int parts = 1;; ++parts) {
    const auto dot = text.find('.');
    const auto part = text.substr(0, dot);
    int value = 0;
    if (part.empty() || part.size() > 3 || (part.size() > 1 && part[0] == '0'))
      return false;
    for (char c : part) {
      if (c < '0' || c > '9')
        return false;
      value = value * 10 + (c - '0');
    }
    if (value > 255)
      return false;
    if (dot == std::string_view::npos)
      return parts == 4;
    text.remove_prefix(dot + 1);
  }
}

bool is_ipv6(std::string_view text) {
  if (text.size() > 45)
    return false;
  const auto gap = text.find("::");
  if (gap == std::string_view::npos)
    return count_groups(text, true) == 8;
  const auto left = text.substr(0, gap);
  const auto right = text.substr(gap + 2);
  const int before = left.empty() ? 0 : count_groups(left, false);
  const int after = right.empty() ? 0 : count_groups(right, true);
  return before >= 0 && after >= 0 && before + after <= 7;
}

} // namespace convene::protocol::validation
