#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace convene::protocol {

/// Text that is known at compile time, as a template argument.
template <std::size_t N>
struct fixed_text {
  char text[N]{};

  constexpr fixed_text(const char (&from)[N]) {
    std::copy_n(from, N, text);
  }
};

/// The name of a member, or a constant value of one, as a type of its own:
/// `"role_id"_m`.
template <fixed_text Text>
struct member_name {
  static constexpr std::string_view text{Text.text, sizeof(Text.text) - 1};
};

template <fixed_text Text>
constexpr member_name<Text> operator""_m() {
  return {};
}

/// Several texts as one, with a zero at its end.
template <fixed_text... Parts>
struct joined_text {
  char text[((sizeof(Parts.text) - 1) + ... + 1)]{};

  constexpr joined_text() {
    char* at = text;
    ((at = std::copy_n(Parts.text, sizeof(Parts.text) - 1, at)), ...);
  }
};

template <fixed_text... Parts>
inline constexpr joined_text<Parts...> joined{};

} // namespace convene::protocol
