#pragma once

#include <convene/protocol/core_event.hpp>
#include <convene/session/machine.hpp>
#include <convene/session/mutant.hpp>

// For the machine's own source files: how events get on the log.

namespace convene::session {

template <class Event>
void machine::append(const Event& event) {
  encode(out_->events, next_event(), event);
}

} // namespace convene::session
