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
/// parsed (comments and trailing commas are fine); what is not there is
/// looked up as the closest value around it.
[[nodiscard]] text_place locate(std::string_view text,
                                std::string_view pointer) noexcept;

} // namespace convene::host
