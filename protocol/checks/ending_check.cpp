#include <convene/protocol/checks/ending_check.hpp>
#include <convene/protocol/documents/reply.hpp>

#include <algorithm>

namespace convene::protocol {
namespace {

constexpr std::string_view reason_rule = "stop_reason_matches";

enum class ends_as : std::uint8_t { completed, cancelled, either };

/// What ends a session. `by_scenario`: only if session.end asks for it.
struct known_end {
  std::string_view condition;
  ends_as status;
  bool by_scenario = false;
};

constexpr known_end ends[]{{"rounds", ends_as::completed},
                           {"end_votes", ends_as::completed},
                           {"navigator_end", ends_as::completed},
                           {"plan_complete", ends_as::completed},
                           {"plan_failed", ends_as::either},
                           {"orchestrator_complete", ends_as::completed},
                           {"orchestrator_gave_up", ends_as::cancelled},
                           {"orchestrator_failed", ends_as::cancelled},
                           {"orchestrator_lost", ends_as::cancelled},
                           {"partner_lost", ends_as::cancelled},
                           {"participants_lost", ends_as::cancelled},
                           {"no_receivers", ends_as::cancelled},
                           {"quorum_missed", ends_as::cancelled},
                           {"talk_bytes_max", ends_as::cancelled},
                           {"policy_fault", ends_as::cancelled},
                           {"fault", ends_as::cancelled},
                           {"cancelled", ends_as::cancelled},
                           {"custom_failed", ends_as::cancelled},
                           {"max_turns", ends_as::cancelled},
                           {"max_duration", ends_as::cancelled},
                           {"budget_tokens", ends_as::cancelled},
                           {"budget_cost_microusd", ends_as::cancelled},
                           {"no_progress", ends_as::either},
                           {"no_turn_completed", ends_as::cancelled},
                           {"stopped", ends_as::completed},
                           {"turns", ends_as::completed, true},
                           {"duration_ms", ends_as::completed, true},
                           {"idle_ms", ends_as::completed, true},
                           {"text", ends_as::completed, true},
                           {"resource", ends_as::completed, true},
                           {"tokens", ends_as::completed, true},
                           {"cost_microusd", ends_as::completed, true},
                           {"failures", ends_as::completed, true},
                           {"all", ends_as::completed, true},
                           {"not", ends_as::completed, true},
                           {"custom", ends_as::completed, true}};

std::optional<std::int64_t> number_in(std::string_view text) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  if (text.empty() || text.size() > 18 || !std::ranges::all_of(text, is_digit))
    return std::nullopt;
  return std::stoll(std::string{text});
}

/// What the log has that a condition counts, if it has that.
std::optional<std::int64_t> counted(std::string_view condition,
                                    const json::object& payload) {
  const auto& used = object_of(payload, "usage");
  const auto total = [&](const char* member) {
    return integer_of(used, member).value_or(0);
  };
  if (condition == "turns")
    return integer_of(payload, "turns_total");
  if (condition == "max_turns")
    return std::max(integer_of(payload, "turns_total").value_or(0),
                    integer_of(payload, "broadcasts_count").value_or(0));
  if (condition == "max_duration" || condition == "duration_ms")
    return integer_of(payload, "duration_ms");
  if (condition == "tokens" || condition == "budget_tokens")
    return total_tokens({.prompt_tokens = total("prompt_tokens"),
                         .completion_tokens = total("completion_tokens")});
  if (condition == "cost_microusd" || condition == "budget_cost_microusd")
    return total("cost_microusd");
  return std::nullopt;
}

/// The limit that the scenario sets, if it is one of its own.
std::optional<std::int64_t> limit_in(std::string_view condition,
                                     const json::object& options) {
  if (condition == "max_turns")
    return integer_of(options, "max_turns");
  if (condition == "max_duration")
    return integer_of(options, "max_duration_ms");
  if (condition == "budget_tokens")
    return integer_of(object_of(options, "budget"), "tokens");
  if (condition == "budget_cost_microusd")
    return integer_of(object_of(options, "budget"), "cost_microusd");
  return std::nullopt;
}

} // namespace

void ending_check::feed(const checked_event& e) {
  if (e.is("MAPSessionCompleted"))
    end(e);
  else
    note(e);
}

void ending_check::note(const checked_event& e) {
  const auto input = e.input();
  const auto who = text_of(e.payload, e.is("MAPBroadcastReceived")
                                        ? "receiver_participant"
                                        : "participant_id");
  note_conflict(e);
  if (input == "participant_down" && lost_.emplace(who).second)
    votes_ -= voters_.contains(who) ? 1 : 0;
  else if (input == "participant_up" && lost_.erase(std::string{who}) != 0)
    votes_ += voters_.contains(who) ? 1 : 0;
  if (input == "participant_down" || input == "suspend")
    was_cut_ = true;
  if (input == "suspend" || input == "resume")
    is_suspended_ = input == "suspend";
  if (input == "participant_down" || input == "participant_up")
    hold_votes();
  if (input == "cancel")
    cancelled_ = text_of(e.payload, "reason");
  else if (input == "stop")
    stopped_ = true;
  handoffs_ += e.is("MAPHandoffInitiated") ? 1 : 0;
  if (e.is("MAPTurnCompleted"))
    note_turn(text_of(e.payload, "status"));
  if (e.is("MAPBroadcastSent"))
    answered_ = 0;
  if (const auto status = text_of(e.payload, "status");
      e.is("MAPBroadcastReceived")
      && (status == "completed" || status == "declined"))
    ++answered_;
  if (!e.payload.contains("reply") || !(e.answers() || input == "decision"))
    return;
  const auto* end = object_of(e.payload, "reply").if_contains("end");
  const bool says = end != nullptr && end->is_bool() && end->get_bool();
  const auto before = voters_.size();
  if (says)
    voters_.emplace(who);
  else
    voters_.erase(std::string{who});
  if (!lost_.contains(who) && voters_.size() != before)
    votes_ += says ? 1 : -1;
  if (e.is("MAPTurnCompleted"))
    last_says_end_ = says;
  hold_votes();
}

void ending_check::note_conflict(const checked_event& e) {
  const auto which = text_of(e.payload, "conflict_id");
  if (e.is("MAPConflictDetected"))
    open_.emplace(which);
  else if (e.is("MAPConflictResolved"))
    open_.erase(std::string{which});
}

/// An end that waits until conflicts are settled, or until the session goes on,
/// counts the votes as they were when it was found.
void ending_check::hold_votes() {
  if (open_.empty() && !is_suspended_)
    held_votes_.clear();
  else
    held_votes_.emplace(votes_, lost_.size());
}

bool ending_check::were_votes(const session_facts& session,
                              std::optional<std::int64_t> wanted,
                              bool of_all) const {
  const auto everybody = std::ranges::count_if(
    session.people, [](const auto& each) { return each.second.acts; });
  const auto fits = [&](std::int64_t said, std::size_t lost) {
    return said >= *wanted
           && (!of_all
               || *wanted == everybody - static_cast<std::int64_t>(lost));
  };
  return wanted
         && (fits(votes_, lost_.size())
             || std::ranges::any_of(held_votes_, [&](const auto& counted) {
                  return fits(counted.first, counted.second);
                }));
}

void ending_check::note_turn(std::string_view status) {
  const bool failed = status == "failed" || status == "timed_out"
                      || status == "declined";
  if (status != "cancelled")
    (failed ? failed_turns_ : good_turns_) += 1;
}

std::int64_t ending_check::acting(const session_facts& session) const {
  return std::ranges::count_if(session.people, [this](const auto& each) {
    return each.second.acts && !lost_.contains(each.first);
  });
}

void ending_check::end(const checked_event& e) const {
  const auto& why = object_of(e.payload, "stop_reason");
  const auto condition = text_of(why, "condition");
  if (condition.empty())
    return e.report("stop_reason_present",
                    "MAPSessionCompleted must name stop_reason.condition");
  if (const auto* observed = why.if_contains("observed");
      observed == nullptr || !observed->is_string())
    e.report("stop_reason_present",
             "MAPSessionCompleted must name stop_reason.observed");
  const auto status = text_of(e.payload, "status");
  const auto* known = std::ranges::find(ends, condition, &known_end::condition);
  if (known == std::end(ends)) {
    // A policy of the application has reasons of its own.
    if (e.session.has_known_policy())
      e.report("stop_reason_known", "no session ends as " + quote(condition));
    return;
  }
  if (e.session.has_known_policy() && known->status != ends_as::either
      && (status == "completed") != (known->status == ends_as::completed))
    e.report("stop_reason_known", "a session that ends as " + quote(condition)
                                    + " is not " + quote(status));
  if (known->by_scenario && !e.session.options.empty()
      && !e.session.options.contains("end"))
    e.report(reason_rule, "the session ends as " + quote(condition)
                            + ", which the scenario does not ask for");
  if (cancelled_.has_value() != (condition == "cancelled")
      && condition != "fault")
    e.report(reason_rule, "the session ends as " + quote(condition)
                            + (cancelled_ ? ", and someone cancelled it"
                                          : ", and no one cancelled it"));
  else if (cancelled_ && condition == "cancelled"
           && *cancelled_ != text_of(why, "observed"))
    e.report(reason_rule, "the session was cancelled for another reason");
  if (condition == "stopped" && !stopped_)
    e.report(reason_rule, "the session was stopped, but no one did that");
  check_guard(e, why);
}

void ending_check::check_guard(const checked_event& e,
                               const json::object& why) const {
  const auto condition = text_of(why, "condition");
  const auto observed = number_in(text_of(why, "observed"));
  const auto limit = integer_of(why, "limit");
  if (condition == "quorum_missed")
    return check_quorum(e, observed, limit);
  if (observed && limit && *observed < *limit)
    e.report(reason_rule, "the session ends as " + quote(condition) + " at "
                            + std::to_string(*observed) + " of "
                            + std::to_string(*limit));
  if (const auto own = limit_in(condition, e.session.options);
      own && limit != own)
    e.report(reason_rule,
             "the limit is not the scenario's, " + std::to_string(*own));
  if (const auto has = counted(condition, e.payload);
      has && observed && *has < *observed)
    e.report(reason_rule, "the session ends as " + quote(condition) + " at "
                            + std::to_string(*observed) + ", the log has "
                            + std::to_string(*has));
  if (!e.session.has_known_policy())
    return;
  if (condition == "rounds" && observed)
    check_rounds(e, *observed);
  if (condition == "no_turn_completed"
      && (good_turns_ > 0 || observed != failed_turns_))
    e.report(reason_rule, "the log has " + std::to_string(good_turns_)
                            + " turns that completed, and "
                            + std::to_string(failed_turns_) + " that did not");
  if (condition == "end_votes" && !were_votes(e.session, observed, !limit))
    e.report(reason_rule,
             std::to_string(votes_) + " participants vote for the end");
  if (condition == "navigator_end" && !last_says_end_)
    e.report(reason_rule, "the last turn does not say that this is the end");
}

/// The one condition whose limit was not reached.
void ending_check::check_quorum(const checked_event& e,
                                std::optional<std::int64_t> observed,
                                std::optional<std::int64_t> needed) const {
  if (!observed || !needed || *observed >= *needed)
    return e.report(reason_rule, "the last broadcast misses no quorum");
  if (!was_cut_ && *observed != answered_)
    e.report(reason_rule, "the quorum counts " + std::to_string(*observed)
                            + " answers, the log has "
                            + std::to_string(answered_));
}

void ending_check::check_rounds(const checked_event& e,
                                std::int64_t rounds) const {
  const auto& options = e.session.options;
  const bool by_mode = !object_of(e.payload, "stop_reason").contains("limit");
  if (const auto wanted = integer_of(options, "rounds");
      by_mode && wanted && *wanted != rounds)
    e.report(reason_rule, "the session ends after " + std::to_string(rounds)
                            + " rounds, the scenario says "
                            + std::to_string(*wanted));
  if (by_mode && good_turns_ == 0 && failed_turns_ > 0)
    e.report(reason_rule, "the session ends as a success, and none of its "
                            + std::to_string(failed_turns_)
                            + " turns completed");
  if (was_cut_ || !by_mode || rounds > 1'000'000)
    return;
  const auto broadcasts = integer_of(e.payload, "broadcasts_count").value_or(0);
  const auto turns = std::max(integer_of(e.payload, "turns_total").value_or(0),
                              std::int64_t{0})
                     - handoffs_;
  const auto each = e.session.policy == "pair"          ? 2
                    : e.session.policy == "round_robin" ? acting(e.session)
                                                        : 0;
  const bool reached = e.session.policy == "broadcast" ? broadcasts >= rounds
                                                       : turns >= rounds * each;
  if (!reached)
    e.report(reason_rule, "the session ends after " + std::to_string(rounds)
                            + " rounds, for which the log has too few turns");
}

} // namespace convene::protocol
