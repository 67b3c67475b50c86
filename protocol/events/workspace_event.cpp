#include <convene/protocol/events/describe_workspace_events.hpp>
#include <convene/protocol/events/event_encoder.hpp>

namespace convene::protocol {

void encode(byte_buffer& out, const event_head& head,
            const resource_written& event) {
  write_event(out, head, event);
}

void encode(byte_buffer& out, const event_head& head,
            const write_refused& event) {
  write_event(out, head, event);
}

void encode(byte_buffer& out, const event_head& head,
            const claim_event& event) {
  write_event(out, head, event);
}

void encode(byte_buffer& out, const event_head& head,
            const workspace_opened& event) {
  write_event(out, head, event);
}

} // namespace convene::protocol
