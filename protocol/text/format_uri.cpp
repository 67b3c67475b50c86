#include <convene/protocol/base/percent.hpp>
#include <convene/protocol/text/format.hpp>
#include <convene/protocol/text/uri.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace convene::protocol::validation {
namespace {

/// What a character may be part of, a bit each.
enum role : std::uint8_t {
  alpha = 1,
  digit = 2,
  hex = 4,
  scheme_mark = 8,    // + - .
  name_mark = 16,     // unreserved and sub-delims: host names
  path_mark = 32,     // : @ /
  query_mark = 64,    // ?
  variable_mark = 128 // _ and . in templates' names
};

constexpr std::array<std::uint8_t, 256> make_roles() {
  std::array<std::uint8_t, 256> roles{};
  const auto give = [&](std::string_view characters, unsigned what) {
    for (char c : characters) {
      auto& has = roles[static_cast<unsigned char>(c)];
      has = static_cast<std::uint8_t>(has | what);
    }
  };
  for (char c = 'a'; c <= 'z'; ++c) {
    const char both[2] = {c, static_cast<char>(c - 'a' + 'A')};
    give({both, 2}, alpha | name_mark);
  }
  give("0123456789", digit | hex | name_mark);
  give("abcdefABCDEF", hex);
  give("+-.", scheme_mark);
  give("-._~!$&'()*+,;=", name_mark);
  give(":@/", path_mark);
  give("?", query_mark);
  give("_.", variable_mark);
  return roles;
}

constexpr auto roles = make_roles();

constexpr bool is(char c, unsigned what) noexcept {
  return (roles[static_cast<unsigned char>(c)] & what) != 0;
}

/// Whether each character is one of `what`, of `more`, a `%hh`, or, if `wide`,
/// beyond ASCII.
bool all(std::string_view text, unsigned what, std::string_view more,
         bool wide) noexcept {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (is(c, what) || more.find(c) != std::string_view::npos
        || (wide && static_cast<unsigned char>(c) >= 0x80))
      continue;
    if (!is_percent_escape(text, i))
      return false;
    i += 2;
  }
  return true;
}

bool is_literal_address(std::string_view host) noexcept {
  if (!host.starts_with('v') && !host.starts_with('V'))
    return is_ipv6(host);
  const auto dot = host.find('.');
  const auto version = host.substr(1, dot - 1);
  return dot != std::string_view::npos && dot + 1 < host.size()
         && !version.empty()
         && std::ranges::all_of(version, [](char c) { return is(c, hex); })
         && std::ranges::all_of(host.substr(dot + 1), [](char c) {
              return is(c, name_mark) || c == ':';
            });
}

bool is_authority(std::string_view text, bool wide) noexcept {
  if (const auto at = text.find('@'); at != std::string_view::npos) {
    if (!all(text.substr(0, at), name_mark, ":", wide))
      return false;
    text.remove_prefix(at + 1);
  }
  if (text.starts_with('[')) {
    const auto end = text.find(']');
    if (end == std::string_view::npos
        || !is_literal_address(text.substr(1, end - 1)))
      return false;
    text.remove_prefix(end + 1);
    if (!text.empty() && text[0] != ':')
      return false;
  } else {
    const auto host = text.substr(0, text.find(':'));
    if (!all(host, name_mark, "", wide))
      return false;
    text.remove_prefix(host.size());
  }
  return text.empty() || std::ranges::all_of(text.substr(1), [](char c) {
           return is(c, digit);
         });
}

/// A scheme with its colon.
bool is_scheme(std::string_view text) noexcept {
  text.remove_suffix(1);
  return is(text[0], alpha) && std::ranges::all_of(text, [](char c) {
           return is(c, alpha | digit | scheme_mark);
         });
}

bool is_reference(std::string_view text, bool needs_scheme,
                  bool wide) noexcept {
  const auto parts = split_uri(text);
  if (parts.scheme.empty() ? needs_scheme : !is_scheme(parts.scheme))
    return false;
  // Without a scheme and an authority, a colon would end a scheme.
  if (parts.scheme.empty() && parts.authority.empty()
      && parts.path.substr(0, parts.path.find('/')).find(':')
           != std::string_view::npos)
    return false;
  if (!parts.authority.empty()
      && !is_authority(parts.authority.substr(2), wide))
    return false;
  const auto is_tail = [wide](std::string_view part) {
    return part.empty()
           || all(part.substr(1), name_mark | path_mark | query_mark, "", wide);
  };
  return all(parts.path, name_mark | path_mark, "", wide)
         && is_tail(parts.query) && is_tail(parts.fragment);
}

/// `name`, `name:4` or `name*`.
bool is_variable(std::string_view text) noexcept {
  const auto end = text.find_first_of(":*");
  const auto name = text.substr(0, end);
  if (name.empty() || name.front() == '.' || name.back() == '.'
      || name.find("..") != std::string_view::npos
      || !all(name, alpha | digit | variable_mark, "", false))
    return false;
  if (end == std::string_view::npos)
    return true;
  const auto rest = text.substr(end + 1);
  if (text[end] == '*')
    return rest.empty();
  return !rest.empty() && rest.size() <= 4 && rest[0] != '0'
         && std::ranges::all_of(rest, [](char c) { return is(c, digit); });
}

bool is_expression(std::string_view text) noexcept {
  constexpr std::string_view operators = "+#./;?&=,!@|";
  if (!text.empty() && operators.find(text[0]) != std::string_view::npos)
    text.remove_prefix(1);
  while (true) {
    const auto comma = text.find(',');
    if (!is_variable(text.substr(0, comma)))
      return false;
    if (comma == std::string_view::npos)
      return true;
    text.remove_prefix(comma + 1);
  }
}

bool is_template_literal(std::string_view text) noexcept {
  for (std::size_t i = 0; i < text.size(); ++i) {
    constexpr std::string_view forbidden = " \"'<>\\^`|}";
    if (static_cast<unsigned char>(text[i]) <= ' ' || text[i] == '\x7f'
        || forbidden.find(text[i]) != std::string_view::npos
        || (text[i] == '%' && !is_percent_escape(text, i)))
      return false;
  }
  return true;
}

} // namespace

bool is_uri(std::string_view text) {
  return is_reference(text, true, false);
}

bool is_uri_reference(std::string_view text) {
  return is_reference(text, false, false);
}

bool is_iri(std::string_view text) {
  return is_reference(text, true, true);
}

bool is_iri_reference(std::string_view text) {
  return is_reference(text, false, true);
}

bool is_uri_template(std::string_view text) {
  while (true) {
    const auto open = text.find('{');
    if (!is_template_literal(text.substr(0, open)))
      return false;
    if (open == std::string_view::npos)
      return true;
    const auto close = text.find('}', open);
    if (close == std::string_view::npos
        || !is_expression(text.substr(open + 1, close - open - 1)))
      return false;
    text.remove_prefix(close + 1);
  }
}

} // namespace convene::protocol::validation
