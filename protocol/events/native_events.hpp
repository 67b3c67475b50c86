#pragma once

#include <convene/protocol/events/core_event.hpp>
#include <convene/protocol/events/map_event.hpp>
#include <convene/protocol/events/workspace_event.hpp>

#include <concepts>

namespace convene::protocol {

/// Types in an order, as a value.
template <class... Types>
struct type_list {};

template <class... A, class... B>
constexpr type_list<A..., B...> operator+(type_list<A...>, type_list<B...>) {
  return {};
}

/// The events that a session makes over and over: a gate sees them as values
/// first (event_gate.hpp).
using gated_events
  = type_list<map_turn_dispatched, map_turn_completed, map_broadcast_received,
              map_broadcast_sent, map_session_started, stage_changed,
              plan_created, step_added, decision_input, resource_written>;

/// Every event that a session appends to its log, once. From this list come the
/// encoders, what the gate judges, which event types are known as native ones
/// and the shapes that `convene check` demands.
using native_events = decltype(
  gated_events{}
  + type_list<map_roles_assigned, map_session_completed, map_conflict_detected,
              map_conflict_resolved, map_handoff_initiated, session_input,
              part_added, graph_opened, handoff_added, session_recorded,
              write_refused, workspace_opened, claim_event, action_started,
              action_ended, usage_recorded, budget_exceeded, reasons_given>{});

template <class Event, class List>
inline constexpr bool is_in_list = false;
template <class Event, class... Events>
inline constexpr bool
  is_in_list<Event,
             type_list<Events...>> = (std::same_as<Event, Events> || ...);

template <class Event>
concept native_event = is_in_list<Event, native_events>;

/// Appends the event as one line with its line end. Text must be UTF-8.
template <native_event Event>
void encode(byte_buffer& out, const event_head& head, const Event& event);

} // namespace convene::protocol
