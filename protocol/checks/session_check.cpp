#include <convene/protocol/checks/people_check.hpp>
#include <convene/protocol/checks/session_check.hpp>

#include <algorithm>
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

void session_check::feed(std::string_view type, const indexed_members& whole,
                         const report_finding& report) {
  ++events_;
  check_order(type, report);
  const auto time = parse_timestamp(text_of(whole, "timestamp"));
  check_time(whole, time, report);
  const indexed_members payload{object_of(whole, "payload")};
  if (is_same(type, "MAPSessionStarted")) {
    facts_.start(payload);
    if (!started_at_)
      started_at_ = now_;
  } else if (is_same(type, "MAPRolesAssigned")) {
    facts_.assign(payload);
  }
  const checked_event e{type, whole, payload, time, facts_, report};
  resources_.feed(type, payload, report);
  claims_.feed(type, payload, report);
  rights_.feed(type, payload, report);
  usage_.feed(e);
  handoff_rules_.feed(e);
  start_.feed(e);
  graph_.feed(e);
  plan_.feed(e);
  tasks_.feed(e);
  presence_.feed(e);
  answers_.feed(e);
  decisions_.feed(e);
  replies_.feed(e);
  conflicts_.feed(e);
  broadcasts_.feed(e);
  ending_.feed(e);
  actions_.feed(e);
  outcomes_.feed(e);
  if (is_same(type, "MAPTurnDispatched"))
    dispatch(payload, report);
  else if (is_same(type, "MAPTurnCompleted"))
    complete_turn(payload, report);
  else if (is_same(type, "MAPHandoffInitiated"))
    ++handoffs_;
  check_people(e);
  if (is_same(type, "MAPSessionCompleted"))
    end(payload, report);
}

void session_check::check_order(std::string_view type,
                                const report_finding& report) {
  const bool starts = is_same(type, "MAPSessionStarted");
  if (starts && facts_.started)
    report("session_starts_first", "the session had started before");
  if (!starts && events_ == 1)
    report("session_starts_first", "the session's first event is "
                                     + std::string{type}
                                     + ", not MAPSessionStarted");
  else if (starts && events_ > 1 && !facts_.started)
    report("session_starts_first", "the session starts after other events");
  const bool assigns = is_same(type, "MAPRolesAssigned");
  if (assigns && facts_.assigned)
    report("roles_assigned_second", "roles had been assigned before");
  if (!assigns && facts_.started && events_ == 2)
    report("roles_assigned_second", std::string{type}
                                      + " comes between MAPSessionStarted and "
                                      + "MAPRolesAssigned");
}

void session_check::check_time(const indexed_members& event,
                               std::optional<timestamp_ms> time,
                               const report_finding& report) {
  if (!time)
    return;
  if (*time < now_)
    report("timestamps_ordered",
           quote(text_of(event, "timestamp"))
             + " is earlier than the session's event before it");
  now_ = std::max(now_, *time);
}

void session_check::dispatch(const indexed_members& payload,
                             const report_finding& report) {
  ++turns_;
  turn next{std::string{text_of(payload, "participant_id")},
            std::string{text_of(payload, "role_id")},
            std::string{text_of(payload, "token_id")},
            {resource_names_in(payload), payload.contains("handoff_id")}};
  if (is_one_of(facts_.mode, {"round_robin", "pair", "orchestrated"}))
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
    if (!are_apart(next.rights, open.rights))
      return report("one_live_token",
                    "a turn is dispatched while turn " + std::to_string(number)
                      + " is open, and they do not name resources apart");
}

void session_check::complete_turn(const indexed_members& payload,
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
  const auto compare = [&](const char* member, std::string_view is,
                           std::string_view expected) {
    if (is != expected)
      report(turn_rule, "turn " + std::to_string(*number) + " has " + member
                          + ' ' + quote(is) + ", was dispatched with "
                          + quote(expected));
  };
  compare("participant_id", text_of(payload, "participant_id"),
          open.participant);
  compare("role_id", text_of(payload, "role_id"), open.role);
  compare("token_id", text_of(payload, "token_id"), open.token);
  turns_open_.erase(found);
}

void session_check::end(const json::object& payload,
                        const report_finding& report) {
  for (const auto& each : turns_open_)
    report(turn_rule, "turn " + std::to_string(each.first)
                        + " is still open at the session's end");
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
  if (facts_.assigned)
    check("participants_count",
          static_cast<std::int64_t>(facts_.people.size()));
  check("turns_total", turns_);
  check("broadcasts_count", broadcasts_.count());
  check("conflicts_count", conflicts_.count());
  check("handoffs_count", handoffs_);
  if (started_at_)
    check("duration_ms", now_ - *started_at_);
}

} // namespace convene::protocol
