#pragma once

#include <convene/session/machine/machine.hpp>

#include <string>

// For the machine's own source files: what happens when its gate refuses an
// event.

namespace convene::session {

/// Thrown where the event would have gone on the log; caught in `feed`.
struct refused_event {
  std::string why;
};

/// What an input must not have changed if it never happened, as far as the log
/// shows it.
struct machine::checkpoint {
  std::size_t events = 0; ///< bytes
  std::size_t deliveries = 0;
  std::size_t notices = 0;
  std::uint64_t event_count = 0;
  std::uint64_t id_count = 0;
  tally counts;
  protocol::collab_status status = protocol::collab_status::draft;
  workspace_view resources;
};

} // namespace convene::session
