#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/server/metrics/session_counts.hpp>
#include <prometheus/registry.h>

#include <algorithm>
#include <array>
#include <variant>

namespace convene::server {
namespace {

using prometheus::BuildCounter;
using prometheus::BuildHistogram;
using namespace protocol;

/// For turns: of functions and of models, up to people.
const prometheus::Histogram::BucketBoundaries turn_buckets{
  0.001, 0.01, 0.1, 0.5, 1, 5, 15, 60, 300, 3'600};

/// What the reply or the action of an event used.
double tokens_of(const json::object& payload, bool is_action) {
  const auto& used
    = object_of(object_of(payload, is_action ? "result" : "reply"), "usage");
  double all = 0;
  for (const auto* const name : {"prompt_tokens", "completion_tokens"})
    all += static_cast<double>(
      std::max<std::int64_t>(integer_of(used, name).value_or(0), 0));
  return all;
}

/// A word of an event as a label; scenarios make no words of their own here.
std::string label_of(std::string_view word) {
  return word.empty() ? "unknown" : std::string{word};
}

} // namespace

session_counts::session_counts(prometheus::Registry& registry)
  : started_{BuildCounter()
               .Name("convene_sessions_started_total")
               .Help("Sessions that started, by mode.")
               .Register(registry)},
    ended_{BuildCounter()
             .Name("convene_sessions_ended_total")
             .Help("Sessions that ended, by status.")
             .Register(registry)},
    turns_{BuildCounter()
             .Name("convene_turns_total")
             .Help("Turns that were closed, by the session's mode (unknown for "
                   "sessions of an earlier start) and how.")
             .Register(registry)},
    turn_seconds_{BuildHistogram()
                    .Name("convene_turn_duration_seconds")
                    .Help("From a turn's dispatch until it was closed, by the "
                          "session's mode.")
                    .Register(registry)},
    conflicts_{BuildCounter()
                 .Name("convene_conflicts_total")
                 .Help("Conflicts that were detected, by type.")
                 .Register(registry)},
    actions_{BuildCounter()
               .Name("convene_actions_total")
               .Help("Attempts at actions outside of sessions, by what carried "
                     "them out and how they ended.")
               .Register(registry)},
    tokens_{BuildCounter()
              .Name("convene_tokens_total")
              .Help("Tokens of models that replies and actions used, prompts "
                    "and completions.")
              .Register(registry)
              .Add({})},
    missed_{BuildCounter()
              .Name("convene_metrics_missed_events_total")
              .Help("Events that are missing in these numbers, because too "
                    "many came at once.")
              .Register(registry)
              .Add({})} {}

std::vector<std::string> session_counts::event_types() {
  return {"MAPSessionStarted",   "MAPSessionCompleted",  "MAPTurnCompleted",
          "MAPConflictDetected", "MAPBroadcastReceived", "session_input",
          "action_ended"};
}

void session_counts::count_start(const std::string& session,
                                 std::string_view mode) {
  started_.Add({{"mode", label_of(mode)}}).Increment();
  modes_[session] = mode;
}

void session_counts::count_event(std::string_view line) {
  const auto parsed = parse_json(line);
  const auto* const event = parsed ? parsed->if_object() : nullptr;
  if (event == nullptr)
    return;
  const auto type = text_of(*event, "event_type");
  const auto& payload = object_of(*event, "payload");
  const std::string session{text_of(*event, "session_id")};
  const auto known = modes_.find(session);
  if (const auto tokens = tokens_of(payload, type == "action_ended");
      tokens > 0)
    tokens_.Increment(tokens);
  const auto mode = label_of(known == modes_.end() ? "" : known->second);
  if (type == "MAPSessionStarted") {
    count_start(session, text_of(payload, "mode"));
  } else if (type == "MAPSessionCompleted") {
    ended_.Add({{"status", label_of(text_of(payload, "status"))}}).Increment();
    modes_.erase(session);
  } else if (type == "MAPTurnCompleted") {
    turns_
      .Add({{"mode", mode}, {"outcome", label_of(text_of(payload, "status"))}})
      .Increment();
    if (const auto time = integer_of(payload, "duration_ms"))
      turn_seconds_.Add({{"mode", mode}}, turn_buckets)
        .Observe(static_cast<double>(*time) / 1000);
  } else if (type == "MAPConflictDetected") {
    conflicts_.Add({{"type", label_of(text_of(payload, "conflict_type"))}})
      .Increment();
  } else if (type == "action_ended") {
    actions_
      .Add({{"executor", label_of(text_of(*event, "executor_kind"))},
            {"outcome",
             label_of(text_of(object_of(payload, "result"), "status"))}})
      .Increment();
  }
}

void session_counts::take(const delivery& what) {
  if (const auto* const event = std::get_if<event_delivered>(&what))
    count_event(*event->line);
  else
    missed_.Increment(static_cast<double>(std::get<events_missed>(what).count));
}

} // namespace convene::server
