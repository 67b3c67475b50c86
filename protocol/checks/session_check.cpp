#include <convene/protocol/checks/session_check.hpp>

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

namespace convene::protocol {
namespace {

constexpr auto next_turn_max = std::numeric_limits<std::int64_t>::max();
constexpr std::string_view turn_rule = "map_turn_completion_matches_dispatch";

bool is_one_of(std::string_view word,
               std::initializer_list<std::string_view> words) {
  return std::ranges::find(words, word) != words.end();
}

} // namespace

session_check::session_check(uuid_set& tokens) : tokens_{tokens} {
  // nop
}

void session_check::feed(std::string_view type, const json::object& event,
                         const report_finding& report) {
  ++events_;
  check_order(type, report);
  check_time(event, report);
  const auto& payload = object_of(event, "payload");
  resources_.feed(type, payload, report);
  claims_.feed(type, payload, report);
  usage_.feed(type, payload, report);
  handoff_rules_.feed(type, payload, report);
  if (type == "MAPSessionStarted") {
    start(payload);
  } else if (type == "MAPRolesAssigned") {
    assign(payload);
  } else if (type == "MAPTurnDispatched") {
    dispatch(payload, report);
  } else if (type == "MAPTurnCompleted") {
    complete_turn(payload, report);
  } else if (type == "MAPBroadcastSent") {
    broadcast(payload, report);
  } else if (type == "MAPBroadcastReceived") {
    receive(payload, report);
  } else if (type == "MAPConflictDetected") {
    detect(payload, report);
  } else if (type == "MAPConflictResolved") {
    resolve(payload, report);
  } else if (type == "MAPHandoffInitiated") {
    ++handoffs_;
  } else if (type == "plan_created") {
    remember_status("plan", payload);
  } else if (type == "step_added") {
    remember_status("step", payload);
  } else if (type == "plan_status_changed" || type == "step_status_changed") {
    move_status(payload, report);
  }
  check_people(type, payload, report);
  if (type == "MAPSessionCompleted")
    end(payload, report);
}

void session_check::check_order(std::string_view type,
                                const report_finding& report) {
  const bool starts = type == "MAPSessionStarted";
  if (starts && started_)
    report("session_starts_first", "the session had started before");
  if (!starts && events_ == 1)
    report("session_starts_first", "the session's first event is "
                                     + std::string{type}
                                     + ", not MAPSessionStarted");
  else if (starts && events_ > 1 && !started_)
    report("session_starts_first", "the session starts after other events");
  const bool assigns = type == "MAPRolesAssigned";
  if (assigns && assigned_)
    report("roles_assigned_second", "roles had been assigned before");
  if (!assigns && started_ && events_ == 2)
    report("roles_assigned_second", std::string{type}
                                      + " comes between MAPSessionStarted and "
                                      + "MAPRolesAssigned");
}

void session_check::check_time(const json::object& event,
                               const report_finding& report) {
  const auto time = parse_timestamp(text_of(event, "timestamp"));
  if (!time)
    return;
  if (*time < now_)
    report("timestamps_ordered",
           quote(text_of(event, "timestamp"))
             + " is earlier than the session's event before it");
  now_ = std::max(now_, *time);
}

void session_check::check_people(std::string_view type,
                                 const json::object& payload,
                                 const report_finding& report) const {
  if (!assigned_ || type == "MAPRolesAssigned" || !type.starts_with("MAP"))
    return;
  const auto check = [&](std::string_view who) {
    if (!who.empty() && !participants_.contains(who))
      report("participants_known",
             "participant " + quote(who) + " is not in MAPRolesAssigned");
  };
  for (const auto* member :
       {"participant_id", "broadcaster_participant", "receiver_participant",
        "winning_participant", "from_participant", "to_participant"})
    check(text_of(payload, member));
  for (const auto* member : {"target_participants", "conflicting_participants"})
    for (auto who : texts_of(payload, member))
      check(who);
}

void session_check::start(const json::object& payload) {
  started_ = true;
  if (!started_at_)
    started_at_ = now_;
  one_at_a_time_ = is_one_of(text_of(payload, "mode"),
                             {"round_robin", "pair", "orchestrated"});
}

void session_check::assign(const json::object& payload) {
  assigned_ = true;
  const auto* list = payload.if_contains("assignments");
  if (list == nullptr || !list->is_array())
    return;
  for (const auto& each : list->get_array())
    if (each.is_object())
      participants_.emplace(text_of(each.get_object(), "participant_id"));
}

void session_check::dispatch(const json::object& payload,
                             const report_finding& report) {
  ++turns_;
  turn next{std::string{text_of(payload, "participant_id")},
            std::string{text_of(payload, "role_id")},
            std::string{text_of(payload, "token_id")},
            resource_names_in(payload)};
  if (one_at_a_time_)
    check_beside(next, report);
  if (const auto token = uuid_of(payload, "token_id");
      token && !tokens_.insert(*token).second)
    report("token_ids_unique", "token_id was used before");
  const auto number = integer_of(payload, "turn_number");
  if (!number)
    return;
  if (*number != next_turn_)
    report("turn_numbers_contiguous",
           "turn_number is " + std::to_string(*number) + ", expected "
             + std::to_string(next_turn_));
  next_turn_ = *number + (*number == next_turn_max ? 0 : 1);
  turns_open_.insert_or_assign(*number, std::move(next));
}

void session_check::check_beside(const turn& next,
                                 const report_finding& report) const {
  for (const auto& [number, open] : turns_open_)
    if (!are_apart(next.resources, open.resources))
      return report("one_live_token",
                    "a turn is dispatched while turn " + std::to_string(number)
                      + " is open, and they do not name resources apart");
}

void session_check::complete_turn(const json::object& payload,
                                  const report_finding& report) {
  const auto status = text_of(payload, "status");
  if (!is_one_of(status, {"completed", "failed", "timed_out", "declined",
                          "cancelled", "handed_off"}))
    report("turn_status_known", "no turn ends as " + quote(status));
  const auto number = integer_of(payload, "turn_number");
  if (!number)
    return;
  const auto found = turns_open_.find(*number);
  if (found == turns_open_.end())
    return report(turn_rule, "turn " + std::to_string(*number)
                               + " is completed but not open");
  const auto& open = found->second;
  const std::array<std::pair<const char*, const std::string*>, 3> same{
    {{"participant_id", &open.participant},
     {"role_id", &open.role},
     {"token_id", &open.token}}};
  for (const auto& [member, expected] : same)
    if (const auto is = text_of(payload, member); is != *expected)
      report(turn_rule, "turn " + std::to_string(*number) + " has " + member
                          + ' ' + quote(is) + ", was dispatched with "
                          + quote(*expected));
  turns_open_.erase(found);
}

void session_check::end(const json::object& payload,
                        const report_finding& report) {
  for (const auto& each : turns_open_)
    report(turn_rule, "turn " + std::to_string(each.first)
                        + " is still open at the session's end");
  for (const auto& [id, missing] : broadcasts_open_)
    report("map_broadcast_has_receivers",
           "broadcast " + quote(id) + " lacks MAPBroadcastReceived of "
             + std::to_string(missing.size()) + " participants, one of them "
             + quote(*missing.begin()));
  for (const auto& [id, resolved] : conflicts_seen_)
    if (!resolved)
      report("conflict_resolved",
             "conflict " + quote(id) + " is open at the session's end");
  if (text_of(object_of(payload, "stop_reason"), "condition").empty())
    report("stop_reason_present",
           "MAPSessionCompleted must name stop_reason.condition");
  check_counts(payload, report);
  ended_ = true;
}

void session_check::check_counts(const json::object& payload,
                                 const report_finding& report) const {
  const auto check = [&](const char* member, std::int64_t expected) {
    const auto is = integer_of(payload, member);
    if (is && *is != expected)
      report("counts_match", std::string{member} + " is " + std::to_string(*is)
                               + ", the log has " + std::to_string(expected));
  };
  check("turns_total", turns_);
  check("broadcasts_count", broadcasts_);
  check("conflicts_count", conflicts_);
  check("handoffs_count", handoffs_);
  if (started_at_)
    check("duration_ms", now_ - *started_at_);
}

} // namespace convene::protocol
