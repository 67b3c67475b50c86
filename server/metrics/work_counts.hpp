#pragma once

#include <convene/runtime/log/event_log/log_counts.hpp>

#include <cstddef>

namespace convene::server {

/// What a server's logs and queues have to do at a moment.
struct work_counts {
  host::log_counts session_log;
  host::log_counts run_log;
  std::size_t participant_jobs = 0; ///< functions and calls of participants
  std::size_t session_jobs = 0;     ///< sessions to be looked at
  std::size_t run_jobs = 0;         ///< runs to be read from the log
};

} // namespace convene::server
