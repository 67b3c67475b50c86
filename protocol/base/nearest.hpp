#pragma once

#include <span>
#include <string>
#include <string_view>

namespace convene::protocol {

/// The name in `known` that `written` may have been meant as: few edits away,
/// or `written` and more words after an underscore. Empty if none is close.
[[nodiscard]] std::string_view
find_nearest(std::string_view written, std::span<const std::string_view> known);

/// ` (did you mean "x"?)` for an error message, or nothing.
[[nodiscard]] std::string suggest(std::string_view written,
                                  std::span<const std::string_view> known);

/// What to do about an object's member that is none of the `known` ones. Says
/// nothing of its value, which may be a secret.
[[nodiscard]] std::string
unknown_member(std::string_view written,
               std::span<const std::string_view> known);

} // namespace convene::protocol
