#pragma once

#include <caf/logger.hpp>

namespace convene::actors {

/// To be called where a thread of the application has made an actor system or
/// spawned an actor: CAF then keeps the system's logger with the thread, and
/// the system's end waits for the thread's.
inline void leave_actor_system() {
  caf::logger::set_current_actor_system(nullptr);
}

} // namespace convene::actors
