#pragma once

#include <convene/protocol/events/core_event.hpp>
#include <convene/protocol/events/event_gate.hpp>
#include <convene/protocol/events/workspace_event.hpp>
#include <convene/session/machine/machine.hpp>
#include <convene/session/mutants/mutant.hpp>

// Internal to the machine: how events get on the log.

namespace convene::session {

/// How much of the dialog a request shows.
inline constexpr std::size_t window_entries = 16;
inline constexpr std::size_t window_bytes = std::size_t{32} * 1024;

template <class Event>
void machine::append(const Event& event) {
  const auto head = next_event();
  bool passed = gate_ == nullptr;
  if constexpr (requires { gate_->passes(head, event); })
    passed = passed || gate_->passes(head, event);
  const auto from = out_->events.size();
  encode(out_->events, head, event);
  if (!passed)
    judge_line(from);
}

} // namespace convene::session
