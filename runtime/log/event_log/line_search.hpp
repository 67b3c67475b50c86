#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace convene::host {

/// Searches the bytes of a JSON text that is not parsed. A true result means
/// "maybe", a false result is certain, in whichever way the text is spaced and
/// its strings are escaped.

/// Whether the line may have a string or a member's name that is `text`; an
/// empty one may be anywhere.
[[nodiscard]] bool may_have_string(std::string_view line,
                                   std::string_view text) noexcept;

/// Whether the line may have escapes that hide letters, digits or any other
/// character of a name: an ASCII character is hidden only by `\u00` and two
/// digits.
[[nodiscard]] bool may_hide_names(std::string_view line) noexcept;

/// Calls `may_be` with the text from the value on of each member with this
/// name, until it returns true. A name spelled with escapes is not found.
template <class MayBe>
[[nodiscard]] bool
any_member(std::string_view line, std::string_view name, const MayBe& may_be);

/// The position of `text` between quotes, at or after `from`; npos: none.
[[nodiscard]] std::size_t find_quoted(std::string_view line,
                                      std::string_view text,
                                      std::size_t from = 0) noexcept;

/// The text that a value begins with, if it is one without escapes.
[[nodiscard]] std::optional<std::string_view>
plain_text(std::string_view value) noexcept;

/// Without the white space of JSON at its beginning.
[[nodiscard]] inline std::string_view
without_space(std::string_view text) noexcept {
  const auto start = text.find_first_not_of(" \t\r\n");
  return start == text.npos ? std::string_view{} : text.substr(start);
}

template <class MayBe>
bool any_member(std::string_view line, std::string_view name,
                const MayBe& may_be) {
  for (auto at = find_quoted(line, name); at != line.npos;
       at = find_quoted(line, name, at + name.size())) {
    const auto rest = without_space(line.substr(at + name.size() + 1));
    if (rest.starts_with(':') && may_be(without_space(rest.substr(1))))
      return true;
  }
  return false;
}

} // namespace convene::host
