#pragma once

#include <convene/session/workflow/input.hpp>

namespace convene::session {

/// An input that a log shows, if any, its time and the place of its event.
struct recorded_run_input {
  protocol::timestamp_ms at = 0;
  std::size_t place = 0;
  std::optional<run_input> input; ///< absent: time has passed
};

/// The inputs that led to the events of a log from a place on. What a node does
/// by itself is none.
[[nodiscard]] std::vector<recorded_run_input>
recorded_inputs(const std::vector<protocol::run_event>& log, std::size_t from);

} // namespace convene::session
