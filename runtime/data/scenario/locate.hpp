#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/runtime/data/yaml/text_place.hpp>

#include <string_view>

namespace convene::host {

/// Where the value that a JSON pointer names begins in a text that has been
/// parsed before (with or without comments and trailing commas). For a missing
/// value, the place of the closest enclosing one.
[[nodiscard]] text_place locate(std::string_view text,
                                std::string_view pointer) noexcept;

/// The same error with the place in the text, unless it has one already.
[[nodiscard]] protocol::error in_text(protocol::error what,
                                      std::string_view text);

} // namespace convene::host
