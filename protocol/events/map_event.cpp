#include <convene/protocol/events/describe_map_events.hpp>
#include <convene/protocol/events/event_encoder.hpp>

namespace convene::protocol {

void encode(byte_buffer& out, const event_head& head,
            const map_session_started& event) {
  write_event(out, head, event);
}

void encode(byte_buffer& out, const event_head& head,
            const map_roles_assigned& event) {
  write_event(out, head, event);
}

void encode(byte_buffer& out, const event_head& head,
            const map_turn_dispatched& event) {
  write_event(out, head, event);
}

void encode(byte_buffer& out, const event_head& head,
            const map_turn_completed& event) {
  write_event(out, head, event);
}

void encode(byte_buffer& out, const event_head& head,
            const map_broadcast_sent& event) {
  write_event(out, head, event);
}

void encode(byte_buffer& out, const event_head& head,
            const map_broadcast_received& event) {
  write_event(out, head, event);
}

void encode(byte_buffer& out, const event_head& head,
            const map_conflict_detected& event) {
  write_event(out, head, event);
}

void encode(byte_buffer& out, const event_head& head,
            const map_conflict_resolved& event) {
  write_event(out, head, event);
}

void encode(byte_buffer& out, const event_head& head,
            const map_handoff_initiated& event) {
  write_event(out, head, event);
}

void encode(byte_buffer& out, const event_head& head,
            const map_session_completed& event) {
  write_event(out, head, event);
}

} // namespace convene::protocol
