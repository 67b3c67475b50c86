#pragma once

#include <convene/protocol/events/native_events.hpp>

#include <string>
#include <string_view>

namespace convene::protocol {

/// What a gate says of the events of a list, as values.
template <class List>
class value_gate;

template <>
class value_gate<type_list<>> {
public:
  virtual ~value_gate() = default;

  void passes() const = delete;
};

template <class Event, class... Events>
class value_gate<type_list<Event, Events...>>
  : public value_gate<type_list<Events...>> {
public:
  using value_gate<type_list<Events...>>::passes;

  /// Whether the event is valid beyond doubt. False settles nothing.
  [[nodiscard]] virtual bool passes(const event_head&, const Event&) const = 0;
};

/// Judges events before they go on a log. The events that a session makes over
/// and over are shown as values first, which is cheap; whatever is not passed
/// as a value, and every other event, is shown as the line that it became. The
/// same event always gets the same verdict. Thread-safe.
class event_gate : public value_gate<gated_events> {
public:
  /// What is wrong with the line, in one line of text; empty: nothing.
  [[nodiscard]] virtual std::string refusal(std::string_view line) const = 0;
};

/// A gate whose class `Self` has one function `judge(head, event)` for all
/// events that are judged as values.
template <class Self, class List = gated_events>
class judging_gate;

template <class Self>
class judging_gate<Self, type_list<>> : public event_gate {
public:
  using event_gate::passes;
};

template <class Self, class Event, class... Events>
class judging_gate<Self, type_list<Event, Events...>>
  : public judging_gate<Self, type_list<Events...>> {
public:
  using judging_gate<Self, type_list<Events...>>::passes;

  [[nodiscard]] bool passes(const event_head& head,
                            const Event& event) const final {
    return static_cast<const Self*>(this)->judge(head, event);
  }
};

} // namespace convene::protocol
