#pragma once

#include <cstddef>
#include <cstdint>

namespace convene::server {

/// How those fare who want to be told that runs have ended: since the start,
/// but for what is owed.
struct callback_counts {
  std::uint64_t delivered = 0; ///< calls that were taken
  std::uint64_t failed = 0;    ///< calls that were not
  std::uint64_t given_up = 0;  ///< runs that were not told of, and will not be
  std::size_t owed = 0;        ///< runs that are to be told of, now or later
};

} // namespace convene::server
