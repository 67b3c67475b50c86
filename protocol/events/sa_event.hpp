#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/protocol/documents/common.hpp>

#include <cstdint>
#include <variant>

namespace convene::protocol {

enum class sa_event_type : std::uint8_t {
  initialized,
  context_loaded,
  plan_evaluated,
  step_started,
  step_completed,
  step_failed,
  trace_emitted,
  completed
};
CONVENE_WORDS(sa_event_type, "SAInitialized", "SAContextLoaded",
              "SAPlanEvaluated", "SAStepStarted", "SAStepCompleted",
              "SAStepFailed", "SATraceEmitted", "SACompleted");

/// An event of a single agent's run (mplp-sa-event.schema.json).
struct sa_event {
  std::string event_id; ///< UUID
  sa_event_type event_type = sa_event_type::initialized;
  std::string timestamp;                 ///< date-time
  std::string sa_id;                     ///< UUID
  std::optional<std::string> context_id; ///< UUID
  std::optional<std::string> plan_id;    ///< UUID
  std::optional<std::string> trace_id;   ///< UUID
  std::optional<json::object> payload;   ///< see `sa_payload`

  bool operator==(const sa_event&) const = default;
};

// What the payloads hold (MPLP profiles-and-events.md 1.2). The schema leaves
// them open; what the profile does not name stands in `others`.

struct sa_initialized_payload {
  std::optional<std::string> runtime_version;
  std::optional<std::vector<std::string>> capabilities;
  json::object others;

  bool operator==(const sa_initialized_payload&) const = default;
};

struct sa_context_loaded_payload {
  std::optional<std::string> context_title;
  std::optional<std::string> context_status;
  json::object others;

  bool operator==(const sa_context_loaded_payload&) const = default;
};

struct sa_plan_evaluated_payload {
  std::optional<std::string> plan_title;
  std::optional<std::int64_t> step_count; ///< from 0
  json::object others;

  bool operator==(const sa_plan_evaluated_payload&) const = default;
};

struct sa_step_started_payload {
  std::string step_id; ///< UUID
  std::optional<std::string> agent_role;
  std::optional<std::string> description;
  json::object others;

  bool operator==(const sa_step_started_payload&) const = default;
};

enum class sa_outcome : std::uint8_t { completed, failed };
CONVENE_WORDS(sa_outcome, "completed", "failed");

struct sa_step_completed_payload {
  std::string step_id; ///< UUID
  sa_outcome status = sa_outcome::completed;
  std::optional<json::object> result;
  json::object others;

  bool operator==(const sa_step_completed_payload&) const = default;
};

struct sa_step_failed_payload {
  std::string step_id; ///< UUID
  std::optional<sa_outcome> status;
  std::optional<std::string> error_code;
  std::optional<std::string> error_message;
  json::object others;

  bool operator==(const sa_step_failed_payload&) const = default;
};

struct sa_trace_emitted_payload {
  std::optional<std::int64_t> events_written; ///< from 0
  json::object others;

  bool operator==(const sa_trace_emitted_payload&) const = default;
};

struct sa_completed_payload {
  std::string status;
  std::optional<std::int64_t> steps_executed;  ///< from 0
  std::optional<std::int64_t> steps_succeeded; ///< from 0
  std::optional<std::int64_t> steps_failed;    ///< from 0
  json::object others;

  bool operator==(const sa_completed_payload&) const = default;
};

/// In the order of `sa_event_type`.
using sa_payload
  = std::variant<sa_initialized_payload, sa_context_loaded_payload,
                 sa_plan_evaluated_payload, sa_step_started_payload,
                 sa_step_completed_payload, sa_step_failed_payload,
                 sa_trace_emitted_payload, sa_completed_payload>;

/// The payload that the event's type asks for; an absent one is empty. Refuses
/// what the profile demands and the schema does not: a `context_id` of
/// SAContextLoaded, a `plan_id` of SAPlanEvaluated, a `trace_id` of
/// SATraceEmitted, and the payloads' own members; errc::invalid_document with
/// a place behind `pointer`, which is where the event stands.
[[nodiscard]] result<sa_payload> decode_payload(const sa_event& event,
                                                std::string_view pointer = "");

/// Gives the event the payload, and the type that belongs to it.
void set_payload(sa_event& event, const sa_payload& payload);

} // namespace convene::protocol
