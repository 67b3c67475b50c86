#pragma once

#include <convene/protocol/events/core_event.hpp>
#include <convene/protocol/events/map_event.hpp>
#include <convene/protocol/events/workspace_event.hpp>

#include <string>
#include <string_view>

namespace convene::protocol {

/// Judges events before they go on a log. The events that a session makes over
/// and over are shown as values first, which is cheap; whatever is not passed
/// as a value, and every other event, is shown as the line that it became. The
/// same event always gets the same verdict. Thread-safe.
class event_gate {
public:
  virtual ~event_gate() = default;

  /// Whether the event is valid beyond doubt. False settles nothing.
  [[nodiscard]] virtual bool passes(const event_head&,
                                    const map_session_started&) const = 0;
  [[nodiscard]] virtual bool passes(const event_head&,
                                    const map_turn_dispatched&) const = 0;
  [[nodiscard]] virtual bool passes(const event_head&,
                                    const map_turn_completed&) const = 0;
  [[nodiscard]] virtual bool passes(const event_head&,
                                    const map_broadcast_sent&) const = 0;
  [[nodiscard]] virtual bool passes(const event_head&,
                                    const map_broadcast_received&) const = 0;
  [[nodiscard]] virtual bool passes(const event_head&,
                                    const stage_changed&) const = 0;
  [[nodiscard]] virtual bool passes(const event_head&,
                                    const plan_created&) const = 0;
  [[nodiscard]] virtual bool passes(const event_head&,
                                    const step_added&) const = 0;
  [[nodiscard]] virtual bool passes(const event_head&,
                                    const decision_input&) const = 0;
  [[nodiscard]] virtual bool passes(const event_head&,
                                    const resource_written&) const = 0;

  /// What is wrong with the line, in one line of text; empty: nothing.
  [[nodiscard]] virtual std::string refusal(std::string_view line) const = 0;
};

} // namespace convene::protocol
