#pragma once

#include <cstddef>

namespace convene::host {

/// A place in a text. Both count from 1, columns in bytes.
struct text_place {
  std::size_t line = 1;
  std::size_t column = 1;

  bool operator==(const text_place&) const = default;
};

} // namespace convene::host
