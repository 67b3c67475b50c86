#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace convene::cli {

/// How far a long command is.
struct progress {
  std::uint64_t done = 0;
  std::uint64_t all = 0; ///< 0: not known
  std::optional<std::uint64_t> failed = {};
  std::string_view unit; ///< "seeds"; "bytes" are written as MB
  /// Until the end, where something else than `done` decides it.
  std::optional<std::chrono::seconds> left = {};
  std::string_view what = {}; ///< before the rest: "reading log"
};

/// `1,735 of 4,000 seeds (43 %), 2 failed, 66/s, 34 s left`. Rate and time left
/// assume that the rest takes as long as what is done.
[[nodiscard]] std::string progress_text(const progress& now,
                                        std::chrono::nanoseconds elapsed);

} // namespace convene::cli
