#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace convene::protocol {

/// Text from outside, made safe for a terminal: white space becomes a space;
/// control characters, direction marks, characters without a place of their own
/// and bytes that are not UTF-8 become U+FFFD. Nothing in the result can move a
/// cursor, change a color, reorder what is around it or hide.
[[nodiscard]] std::string neutral(std::string_view text);

/// JSON text of the same meaning, in which such characters, except line ends,
/// are escapes.
[[nodiscard]] std::string neutral_json(std::string_view text);

/// How many columns neutral text takes.
[[nodiscard]] std::size_t width(std::string_view text) noexcept;

/// Neutral text in at most `columns` columns; what is cut shows as `…`.
[[nodiscard]] std::string fit(std::string_view text, std::size_t columns);

/// Cuts off the beginning of neutral text that fits into `columns`: up to a
/// space, if there is one, and at least a character.
[[nodiscard]] std::string_view cut_row(std::string_view& text,
                                       std::size_t columns);

/// "1 turn", "2 turns".
template <class Count>
[[nodiscard]] std::string plural(Count count, std::string_view noun) {
  return std::to_string(count) + ' ' + std::string{noun}
         + (count == 1 ? "" : "s");
}

} // namespace convene::protocol
