#include <convene/protocol/events/describe_core_events.hpp>
#include <convene/protocol/events/event_encoder.hpp>

namespace convene::protocol {

void encode(byte_buffer& out, const event_head& head,
            const stage_changed& event) {
  write_event(out, head, event);
}

void encode(byte_buffer& out, const event_head& head,
            const plan_created& event) {
  // Of thousands of steps, so that what is written is not moved meanwhile.
  constexpr std::size_t bytes_of_step = 160;
  static_cast<void>(out.reserve(event.steps.size() * bytes_of_step));
  write_event(out, head, event);
}

void encode(byte_buffer& out, const event_head& head, const step_added& event) {
  write_event(out, head, event);
}

void encode(byte_buffer& out, const event_head& head, const part_added& event) {
  write_event(out, head, event);
}

void encode(byte_buffer& out, const event_head& head,
            const graph_opened& event) {
  write_event(out, head, event);
}

void encode(byte_buffer& out, const event_head& head,
            const handoff_added& event) {
  write_event(out, head, event);
}

void encode(byte_buffer& out, const event_head& head,
            const session_recorded& event) {
  write_event(out, head, event);
}

void encode(byte_buffer& out, const event_head& head,
            const session_input& event) {
  write_event(out, head, event);
}

void encode(byte_buffer& out, const event_head& head,
            const decision_input& event) {
  write_event(out, head, event);
}

void encode(byte_buffer& out, const event_head& head,
            const action_started& event) {
  write_event(out, head, event);
}

void encode(byte_buffer& out, const event_head& head,
            const action_ended& event) {
  write_event(out, head, event);
}

void encode(byte_buffer& out, const event_head& head,
            const usage_recorded& event) {
  write_event(out, head, event);
}

void encode(byte_buffer& out, const event_head& head,
            const budget_exceeded& event) {
  write_event(out, head, event);
}

void encode(byte_buffer& out, const event_head& head,
            const reasons_given& event) {
  write_event(out, head, event);
}

std::string_view executor_of(action_kind kind) noexcept {
  switch (kind) {
    case action_kind::model:
      return "llm";
    case action_kind::http:
    case action_kind::person:
      return "external";
    case action_kind::function:
    case action_kind::process:
    case action_kind::mcp:
      break;
  }
  return "tool";
}

std::string_view execution_status_of(action_status status) noexcept {
  switch (status) {
    case action_status::completed:
      return "completed";
    case action_status::cancelled:
      return "cancelled";
    case action_status::failed:
    case action_status::timed_out:
      break;
  }
  return "failed";
}

} // namespace convene::protocol
