#pragma once

#include <string_view>

namespace convene::protocol {

/// Whether a whole text is what a pattern stands for: `*` is any text, also
/// none, and `?` any byte; all else stands for itself. Takes at most as many
/// steps as the product of both sizes.
[[nodiscard]] bool matches_glob(std::string_view pattern,
                                std::string_view text) noexcept;

} // namespace convene::protocol
