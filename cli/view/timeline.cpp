#include <boost/json/serialize.hpp>
#include <convene/cli/view/action_words.hpp>
#include <convene/cli/view/text.hpp>
#include <convene/cli/view/timeline.hpp>
#include <convene/protocol/base/unneeded_answer.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/protocol/json/parts.hpp>
#include <convene/session/story/stop_words.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace convene::cli {
namespace {

using protocol::items_of;
using protocol::object_of;
using protocol::json::object;

constexpr std::string_view green = "32";
constexpr std::string_view red = "31";
constexpr std::string_view yellow = "33";
constexpr std::string_view blue = "34";
constexpr std::string_view bold = "1";
constexpr std::string_view dim = "2";

/// A member as text, whatever it is; empty if it is not there.
std::string text(const object& from, std::string_view name) {
  const auto* found = from.if_contains(name);
  if (found == nullptr || found->is_null())
    return {};
  if (const auto* string = found->if_string())
    return {string->data(), string->size()};
  return protocol::json::serialize(*found);
}

std::int64_t number(const object& from, std::string_view name) {
  return protocol::integer_of(from, name).value_or(0);
}

/// Of a single agent's participants those that execute nothing: itself, and
/// those that have its compensations.
std::int64_t idle_in(const object& spec) {
  std::int64_t idle = 0;
  for (const auto& each : items_of(object_of(spec, "collab"), "participants"))
    if (const auto* who = each.if_object())
      idle += text(*who, "kind") == "system" ? 1 : 0;
  return std::max<std::int64_t>(idle, 1);
}

std::string_view colour_of(std::string_view status) {
  if (status == "completed" || status == "approved")
    return green;
  return status == "failed" || status == "timed_out" ? red : yellow;
}

/// Why something failed; empty if it did not.
std::string error_of(const object& payload, bool whole) {
  auto words = text(object_of(payload, "error"), "message");
  return whole ? words : first_line(std::move(words));
}

} // namespace

std::string timeline::started(const object& payload) {
  start_ = now_;
  steps_total_
    = items_of(object_of(object_of(payload, "spec"), "plan"), "steps").size();
  const auto count = number(payload, "participant_count");
  const bool single = text(payload, "policy").starts_with("single_agent");
  const auto head = fmt::format(
    "{} ({}, {})", text(payload, "title"),
    single ? "single agent" : text(payload, "mode"),
    single ? plural(count - idle_in(object_of(payload, "spec")), "executor")
           : plural(count, "participant"));
  const auto fitted = fit(head, style_.columns);
  return style_.colour ? fmt::format("\x1b[{}m{}\x1b[0m\n", bold, fitted)
                       : fitted + '\n';
}

void timeline::assigned(const object& payload) {
  constexpr std::size_t columns_max = 24;
  who_columns_ = 8; // "conflict"
  for (const auto& assignment : items_of(payload, "assignments"))
    if (const auto* one = assignment.if_object())
      who_columns_ = std::max(
        who_columns_, width(fit(text(*one, "participant_id"), columns_max)));
}

std::string timeline::stage(const object& event) {
  const auto& payload = object_of(event, "payload");
  // The object's own word; a stage has fewer of them.
  auto status = text(payload, "to_status");
  if (status.empty())
    status = text(event, "stage_status");
  const auto what = text(payload, "resource_type");
  const bool closed = what == "step"
                      && (status == "completed" || status == "failed"
                          || status == "skipped");
  steps_closed_ += closed ? 1 : 0;
  if (!closed && !style_.verbose)
    return {};
  auto words = what == "step" ? text(event, "stage_name")
                              : text(payload, "reason");
  if (closed)
    words = fmt::format("{}/{} {}", steps_closed_, steps_total_, words);
  return line({.who = what,
               .what = status,
               .text = std::move(words),
               .colour = colour_of(status)});
}

/// What somebody is asked to do. A task that is the same as before is not said
/// again.
std::string timeline::task_of(const object& payload) {
  auto task = first_line(text(payload, "task"));
  auto duty = text(payload, "duty");
  if (task == last_task_)
    return duty;
  last_task_ = task;
  return duty.empty() ? task : duty + ": " + task;
}

std::string timeline::completed(const object& payload) const {
  const auto status = text(payload, "status");
  const auto turns = plural(number(payload, "turns_total"), "turn");
  std::string counts;
  const auto failed = failures_.failed();
  if (failed > 0)
    counts = fmt::format("{} of {} failed", failed, turns);
  if (const auto late = failures_.timed_out(); late > 0)
    counts += failed > 0 ? fmt::format(", {} timed out", late)
                         : fmt::format("{} of {} timed out", late, turns);
  if (counts.empty())
    counts = turns;
  if (failures_.answers() > 0)
    counts += fmt::format(", {} to broadcasts failed",
                          plural(failures_.answers(), "answer"));
  if (failures_.writes_refused() > 0)
    counts += fmt::format(", {} refused",
                          plural(failures_.writes_refused(), "write"));
  for (const auto& [name, noun] : {std::pair{"broadcasts_count", "broadcast"},
                                   std::pair{"handoffs_count", "handoff"},
                                   std::pair{"conflicts_count", "conflict"}})
    if (number(payload, name) > 0)
      counts += ", " + plural(number(payload, name), noun);
  if (const auto used = usage_words(object_of(payload, "usage")); !used.empty())
    counts += ", " + used;
  return line({.who = "session",
               .what = status,
               .text = counts + "; "
                       + session::stop_words(object_of(payload, "stop_reason")),
               .colour = colour_of(status)})
         + failure_lines();
}

/// What somebody answered: what went wrong, else their words.
std::string timeline::answered(row of, const object& by) const {
  of.text = error_of(by, style_.whole_errors);
  of.is_error = !of.text.empty();
  if (!of.is_error)
    of.text = first_line(text(object_of(by, "reply"), "content"));
  return line(of);
}

std::string timeline::begins(const object& event) {
  const auto& payload = object_of(event, "payload");
  auto words = action_words(payload);
  acting_[text(event, "execution_id")]
    = {.words = words, .is_model = text(payload, "kind") == "model"};
  auto shown = line({.turn = number(payload, "turn_number"),
                     .who = text(payload, "participant_id"),
                     .what = "begins",
                     .text = std::move(words),
                     .colour = dim});
  if (style_.verbose)
    shown += details("arguments", arguments_of(payload));
  return shown;
}

std::string timeline::ends(const object& event) {
  const auto& payload = object_of(event, "payload");
  const auto status = text(object_of(payload, "result"), "status");
  const auto found = acting_.extract(text(event, "execution_id"));
  const auto began = found ? found.mapped() : acting{action_words(payload)};
  auto words = result_words(payload, began.words, style_.whole_errors);
  const auto calls = began.is_model ? calls_of(payload) : model_calls{};
  for (const auto& call : calls)
    words += (&call == &calls.front() ? ", calls " : ", ") + call.first;
  auto shown = line({.turn = number(payload, "turn_number"),
                     .who = text(payload, "participant_id"),
                     .what = status,
                     .text = std::move(words),
                     .colour = colour_of(status),
                     .is_error = status != "completed"});
  if (style_.verbose)
    for (const auto& [name, arguments] : calls)
      shown += details("calls", name + ' ' + arguments);
  return shown;
}

/// Who is asked what, and what they answer.
std::string timeline::talk(std::string_view type, const object& payload) {
  const auto turn = number(payload, "turn_number");
  const auto who = text(payload, "participant_id");
  if (type == "MAPTurnDispatched") {
    return line({turn, who, "asked", task_of(payload), {}});
  }
  if (type == "MAPTurnCompleted") {
    const auto status = text(payload, "status");
    return answered({turn, who, status, {}, colour_of(status)}, payload);
  }
  if (type == "MAPBroadcastSent") {
    const auto& message = object_of(payload, "message");
    const auto words
      = fmt::format("to {}, round {}: {}", number(payload, "target_count"),
                    number(message, "round"), text(message, "task"));
    return line(
      {0, text(payload, "broadcaster_participant"), "broadcast", words, blue});
  }
  if (type == "MAPBroadcastReceived") {
    const auto status
      = protocol::is_unneeded_answer(text(object_of(payload, "error"), "code"))
          ? "cancelled"
          : text(payload, "status");
    return answered(
      {0, text(payload, "receiver_participant"), status, {}, colour_of(status)},
      payload);
  }
  if (type == "MAPHandoffInitiated") {
    auto words = "to " + text(payload, "to_participant");
    if (const auto told = text(payload, "instructions"); !told.empty())
      words += ": " + first_line(told);
    return line({turn, text(payload, "from_participant"), "hands off",
                 std::move(words), blue});
  }
  return {};
}

/// What was refused, used up or in conflict.
std::string timeline::trouble(std::string_view type, const object& payload) {
  const auto turn = number(payload, "turn_number");
  const auto who = text(payload, "participant_id");
  if (type == "budget_exceeded")
    return line({turn, who, "budget",
                 fmt::format("{} used up: {} of {}", text(payload, "budget"),
                             number(payload, "used"), number(payload, "limit")),
                 yellow});
  if (const auto refused = text(payload, "refused"); !refused.empty())
    return line({0, who, "refused", first_line(refused), red});
  if (type == "write_refused" || type == "claim_refused")
    return line(
      {turn, who, "refused",
       fmt::format("{} {} {}: {}", type == "write_refused" ? "write" : "claim",
                   text(payload, "resource_type"), text(payload, "resource_id"),
                   error_of(payload, style_.whole_errors)),
       red, true});
  if (type == "MAPConflictDetected")
    return line({0, "conflict", "detected",
                 text(payload, "conflict_type") + ": "
                   + text(payload, "resource_type") + ' '
                   + text(payload, "resource_id"),
                 yellow});
  if (type == "MAPConflictResolved") {
    const auto strategy = text(payload, "resolution_strategy");
    const auto lost = protocol::texts_of(payload, "losing_participants");
    if (strategy == "reject" && !lost.empty())
      return line({0, std::string{lost.front()}, "refused",
                   text(payload, "reason"), red, true});
    return line({0, "conflict", "resolved",
                 strategy + ": " + text(payload, "reason"), yellow});
  }
  return {};
}

std::string timeline::show(const object& event) {
  const auto type = text(event, "event_type");
  const auto& payload = object_of(event, "payload");
  if (const auto time = protocol::parse_timestamp(text(event, "timestamp")))
    now_ = *time;
  failures_.add(event);
  if (type == "MAPSessionStarted")
    return started(payload);
  if (type == "MAPRolesAssigned")
    assigned(payload);
  if (type == "action_started")
    return begins(event);
  if (type == "action_ended")
    return ends(event);
  for (const auto part : {&timeline::talk, &timeline::trouble})
    if (auto shown = (this->*part)(type, payload); !shown.empty())
      return shown;
  if (type == "MAPSessionCompleted")
    return completed(payload);
  if (type == "plan_created")
    steps_total_ = items_of(object_of(payload, "plan"), "steps").size();
  if (type == "step_added")
    ++steps_total_;
  if (text(event, "event_family") == "pipeline_stage")
    return stage(event);
  return {};
}

} // namespace convene::cli
