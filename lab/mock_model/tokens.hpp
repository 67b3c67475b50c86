#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace convene::host::mock {

/// A token of a mock: four characters, or the rest of the text. Tokens of real
/// models are about as long.
inline constexpr std::size_t token_characters = 4;

/// How many tokens a text in UTF-8 has.
[[nodiscard]] std::int64_t count_tokens(std::string_view text) noexcept;

/// Where the text's tokens begin, in bytes.
[[nodiscard]] std::vector<std::uint32_t> token_starts(std::string_view text);

/// The text's beginning, of at most `tokens` tokens.
[[nodiscard]] std::string_view first_tokens(std::string_view text,
                                            std::int64_t tokens) noexcept;

} // namespace convene::host::mock
