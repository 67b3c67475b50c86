#pragma once

#include <cstddef>
#include <string_view>

namespace convene::host {

/// A place in a text. Both count from 1, columns in bytes.
struct text_place {
  std::size_t line = 1;
  std::size_t column = 1;

  bool operator==(const text_place&) const = default;
};

/// Where the value that a JSON pointer names begins in a text that has been
/// parsed before (with or without comments and trailing commas). For a missing
/// value, the place of the closest enclosing one.
[[nodiscard]] text_place locate(std::string_view text,
                                std::string_view pointer) noexcept;

} // namespace convene::host
