#pragma once

#include <convene/protocol/base/timestamp.hpp>

#include <chrono>

namespace convene::cli {

/// The time of day, for what no session dates.
[[nodiscard]] inline protocol::timestamp_ms now_ms() {
  using namespace std::chrono;
  return duration_cast<milliseconds>(system_clock::now().time_since_epoch())
    .count();
}

} // namespace convene::cli
