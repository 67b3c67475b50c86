#pragma once

#include <convene/runtime/log/event_log/log_counts.hpp>

#include <cstddef>

namespace convene {
class runtime;
}

namespace convene::host {

/// What a runtime has to do at a moment.
struct runtime_counts {
  log_counts log;       ///< nothing, if there is none
  std::size_t jobs = 0; ///< of participants, which wait for a thread
};

[[nodiscard]] runtime_counts counts_of(const convene::runtime& which);

} // namespace convene::host
