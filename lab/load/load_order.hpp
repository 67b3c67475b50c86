#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

namespace convene::host {

/// Time since a load began.
using load_time = std::chrono::nanoseconds;

/// A session that is to be started.
struct load_order {
  std::uint64_t number = 0; ///< from 0
  std::size_t kind = 0;     ///< of the load's kinds
  std::size_t stage = 0;    ///< of the load's stages
  load_time intended{};     ///< when it should have started
  bool measured = false;    ///< intended after the warm-up
};

/// What became of it.
struct load_ending {
  enum class status : std::uint8_t {
    completed,
    cancelled, ///< by a guard; `reason` is the condition
    failed,    ///< not started, or stopped; `reason` is the rule
  };

  load_order order;
  load_time began{}; ///< when it was started
  load_time ended{}; ///< when its end was reported
  status how = status::completed;
  std::string reason;
};

} // namespace convene::host
