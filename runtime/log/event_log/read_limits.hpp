#pragma once

#include <cstddef>

namespace convene::host {

/// The most a reader keeps in memory. A whole group is held until its checksum
/// is known.
struct read_limits {
  std::size_t line_bytes = std::size_t{64} << 20;
  std::size_t group_bytes = std::size_t{256} << 20;
};

} // namespace convene::host
