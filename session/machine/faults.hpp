#pragma once

#include <convene/session/machine/machine.hpp>

#include <string>

// Internal to the machine: what happens when its gate refuses an event.

namespace convene::session {

/// Thrown in place of logging the event; caught in `feed`.
struct refused_event {
  std::string why;
};

/// State, as far as the log shows it, that is restored when an input is undone.
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
