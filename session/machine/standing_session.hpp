#pragma once

#include <convene/session/machine/machine.hpp>

#include <memory>
#include <vector>

namespace convene::session {

/// A session as its log left it.
struct standing_session {
  std::unique_ptr<session::machine> machine;
  /// The requests that nobody has answered, as they were delivered, oldest
  /// first.
  std::vector<delivery> outstanding;
  protocol::json::object behaviours;
};

} // namespace convene::session
