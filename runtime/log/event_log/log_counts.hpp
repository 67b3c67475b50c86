#pragma once

#include <convene/runtime/log/event_log/writer.hpp>

#include <cstdint>

namespace convene::host {

/// What a log has to do, since it was opened.
struct log_counts {
  std::uint64_t bytes = 0;   ///< of events that were appended
  std::uint64_t waiting = 0; ///< those of them that are not durable yet
};

[[nodiscard]] inline log_counts counts_of(const event_log_writer& log) {
  const auto kept = log.kept(); // first: it only grows
  const auto appended = log.appended();
  return {.bytes = appended, .waiting = appended - kept};
}

} // namespace convene::host
