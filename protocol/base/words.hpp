#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

namespace convene::protocol {

/// The protocol's spelling of each value of an enum, in the enum's order.
/// Specialised next to each enum; enumerators count from 0 without gaps.
template <class Enum>
inline constexpr std::span<const std::string_view> words_of{};

/// Another spelling of a word, accepted on input and never written.
struct other_word {
  std::string_view seen;
  std::string_view word;
};

/// The other spellings of an enum's words.
template <class Enum>
inline constexpr std::span<const other_word> other_words_of{};

/// The protocol's word for `value`.
template <class Enum>
[[nodiscard]] constexpr std::string_view to_word(Enum value) noexcept
  requires(!words_of<Enum>.empty()) {
  return words_of<Enum>[static_cast<std::size_t>(value)];
}

/// The value whose word is `word`, if any.
template <class Enum>
[[nodiscard]] constexpr std::optional<Enum>
from_word(std::string_view word) noexcept {
  const auto all = words_of<Enum>;
  const auto found = std::ranges::find(all, word);
  if (found == all.end())
    return std::nullopt;
  return static_cast<Enum>(found - all.begin());
}

} // namespace convene::protocol

/// Ties an enum to its words: `CONVENE_WORDS(mode, "broadcast", "pair")`, at
/// namespace scope of convene::protocol.
#define CONVENE_WORDS(type, ...)                                               \
  inline constexpr std::string_view type##_words[] = {__VA_ARGS__};            \
  template <>                                                                  \
  inline constexpr std::span<const std::string_view> words_of<type> {          \
    type##_words                                                               \
  }
