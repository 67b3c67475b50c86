#pragma once

#include <convene/session/machine/machine.hpp>

#include <memory>
#include <vector>

namespace convene::session {

/// The state of a session at the end of its log.
struct standing_session {
  std::unique_ptr<session::machine> machine;
  /// The unanswered requests, as delivered, oldest first.
  std::vector<delivery> outstanding;
  protocol::json::object behaviours;
};

} // namespace convene::session
