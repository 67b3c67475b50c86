#include <convene/protocol/events/describe_core_events.hpp>
#include <convene/protocol/events/event_encoder.hpp>

namespace convene::protocol {

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
