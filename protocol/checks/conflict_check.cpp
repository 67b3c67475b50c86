#include <convene/protocol/checks/conflict_check.hpp>
#include <convene/protocol/checks/joined_writes.hpp>

#include <algorithm>
#include <utility>

namespace convene::protocol {
namespace {

constexpr std::string_view order_rule = "conflict_detected_before_resolved";
constexpr std::string_view open_rule = "conflict_resolved";
constexpr std::string_view match_rule = "conflict_matches";
constexpr std::string_view concurrent = "concurrent_modification";

bool is_any(std::string_view word, std::initializer_list<std::string_view> of) {
  return std::ranges::find(of, word) != of.end();
}

/// How the scenario has conflicts about this type resolved.
std::string_view strategy_for(const json::object& options,
                              std::string_view resource_type) {
  const auto& conflicts = object_of(options, "conflicts");
  auto chosen = text_of(object_of(conflicts, "by_resource_type"),
                        resource_type);
  if (chosen.empty())
    chosen = text_of(conflicts, "strategy");
  return chosen.empty() ? "hierarchy" : chosen;
}

/// Whether a conflict can end so where the scenario says `chosen`.
bool may_end(std::string_view chosen, std::string_view strategy) {
  if (strategy == chosen || strategy == "first-write-wins")
    return true;
  if (strategy == "hierarchy")
    return is_any(chosen, {"merge", "voting", "application"});
  return (strategy == "escalation" && chosen == "voting")
         || (chosen == "application"
             && is_any(strategy, {"voting", "escalation"}));
}

} // namespace

void conflict_check::feed(const checked_event& e) {
  if (e.goes_on() || e.answers())
    check_open(e);
  if (e.is("MAPConflictDetected"))
    detect(e);
  else if (e.is("MAPConflictResolved"))
    resolve(e);
  else if (e.is("resource_written"))
    write(e);
  else if (e.is("session_input"))
    cast(e);
}

void conflict_check::detect(const checked_event& e) {
  ++count_;
  const auto id = text_of(e.payload, "conflict_id");
  const auto& details = object_of(e.payload, "details");
  conflict made{.resource_type
                = std::string{text_of(e.payload, "resource_type")},
                .resource_id = std::string{text_of(e.payload, "resource_id")},
                .kind = std::string{text_of(e.payload, "conflict_type")},
                .who = std::string{text_of(details, "participant_id")},
                .token = std::string{text_of(details, "presented_token")},
                .base_version = integer_of(details.contains("write")
                                             ? object_of(details, "write")
                                             : details,
                                           "base_version")};
  const auto sides = texts_of(e.payload, "conflicting_participants");
  made.sides = {sides.begin(), sides.end()};
  for (const auto who : texts_of(details, "asked"))
    made.asked.emplace(who);
  if (!is_any(made.kind,
              {concurrent, "exclusive_write_violation", "stale_token",
               "permission_denied", "resource_claimed"}))
    e.report(match_rule, "no conflict is of kind " + quote(made.kind));
  if (!made.who.empty() && (sides.empty() || sides.front() != made.who))
    e.report(match_rule, "participant " + quote(made.who)
                           + " is not the first of those in conflict");
  if (text_of(details, "input") == "answer"
      && (made.resource_type != "token" || made.resource_id != made.token))
    e.report(match_rule, "the conflict about an answer must name its token");
  // While others decide on it, any write to the resource is a conflict.
  const bool is_disputed = std::ranges::any_of(asked_, [&](const auto& other) {
    const auto& before = all_.find(other)->second;
    return before.resource_type == made.resource_type
           && before.resource_id == made.resource_id;
  });
  const auto current = integer_of(details, "current_version");
  if (made.kind == concurrent && current && made.base_version
      && *made.base_version > *current && !is_disputed)
    e.report(match_rule, "base_version is later than current_version");
  const auto [at, is_new] = all_.emplace(id, std::move(made));
  if (!is_new)
    return e.report(order_rule,
                    "conflict " + quote(id) + " was detected before");
  (at->second.asked.empty() ? waiting_ : asked_).emplace(id);
}

void conflict_check::resolve(const checked_event& e) {
  const auto id = text_of(e.payload, "conflict_id");
  const auto found = all_.find(id);
  if (found == all_.end())
    return e.report(order_rule,
                    "conflict " + quote(id) + " is resolved but not detected");
  auto& about = found->second;
  if (about.resolved)
    return e.report(open_rule, "conflict " + quote(id) + " is resolved twice");
  about.resolved = true;
  const auto winner = text_of(e.payload, "winning_participant");
  const auto losers = texts_of(e.payload, "losing_participants");
  const bool joins = joins_writes(e.payload);
  const bool overrides = e.payload.contains("overridden_versions");
  if (!winner.empty() && !about.sides.contains(winner))
    e.report(match_rule, "the winner is on neither side of the conflict");
  // An override may replace a version of its own writer.
  if (!overrides && std::ranges::find(losers, winner) != losers.end())
    e.report(match_rule, "the winner is among the losers");
  for (const auto who : losers)
    if (!about.sides.contains(who))
      e.report(match_rule, "participant " + quote(who)
                             + " loses, and is on no side of the conflict");
  if (joins && (overrides || !losers.empty() || !winner.empty()))
    e.report(match_rule, "where both writes stand, no one wins or loses");
  if (overrides && winner != about.who)
    e.report(match_rule, "versions are overridden for someone else than the "
                         "winner");
  check_strategy(e, about);
  check_votes(e, about);
  about.writes = about.kind == concurrent && (joins || overrides);
  asked_.erase(std::string{id});
  waiting_.erase(std::string{id});
  if (about.writes)
    waiting_.emplace(id);
}

void conflict_check::check_strategy(const checked_event& e,
                                    const conflict& about) {
  const auto strategy = text_of(e.payload, "resolution_strategy");
  if (strategy == "reject") {
    if (e.payload.contains("overridden_versions"))
      e.report(match_rule, "a write is rejected, and overrides something");
    return;
  }
  const auto chosen = strategy_for(e.session.options, about.resource_type);
  if (about.kind != concurrent)
    e.report(match_rule, "a conflict of kind " + quote(about.kind)
                           + " is resolved by reject, not by "
                           + quote(strategy));
  else if (!e.session.options.empty() && !may_end(chosen, strategy))
    e.report(match_rule, "the conflict is resolved by " + quote(strategy)
                           + ", the scenario says " + quote(chosen));
}

void conflict_check::check_votes(const checked_event& e,
                                 const conflict& about) {
  std::vector<vote> shown;
  for (const auto& each : array_of(e.payload, "votes"))
    if (const auto* one = each.if_object())
      shown.emplace_back(text_of(*one, "participant_id"), text_of(*one, "for"));
  if (shown != about.votes)
    return e.report(match_rule, "the votes are not those that were cast");
  if (text_of(e.payload, "resolution_strategy") != "voting")
    return;
  const auto later = std::ranges::count(shown, about.who, &vote::second);
  const auto earlier = static_cast<std::ptrdiff_t>(shown.size()) - later;
  const bool wins = text_of(e.payload, "winning_participant") == about.who;
  if (later == earlier || wins != (later > earlier))
    e.report(match_rule, "the votes decide otherwise");
}

void conflict_check::write(const checked_event& e) {
  const auto id = text_of(e.payload, "conflict_id");
  if (id.empty())
    return;
  const auto found = all_.find(id);
  if (found == all_.end())
    return e.report(match_rule, "a write is of conflict " + quote(id)
                                  + ", which was not detected");
  auto& about = found->second;
  if (text_of(e.payload, "resource_type") != about.resource_type
      || text_of(e.payload, "resource_id") != about.resource_id
      || text_of(e.payload, "participant_id") != about.who
      || text_of(e.payload, "token_id") != about.token
      || integer_of(e.payload, "base_version") != about.base_version)
    e.report(match_rule, "a write of conflict " + quote(id)
                           + " is not the one that was detected");
  if (!std::exchange(about.writes, false))
    e.report(match_rule, "conflict " + quote(id)
                           + " does not let its write stand, or it is there "
                             "already");
  waiting_.erase(std::string{id});
}

void conflict_check::cast(const checked_event& e) {
  if (e.input() != "vote" && e.input() != "escalation")
    return;
  const auto& reply = object_of(e.payload, "reply");
  const auto& cast = object_of(reply, "vote");
  const auto who = text_of(e.payload, "participant_id");
  const auto found = all_.find(text_of(cast, "conflict_id"));
  if (found == all_.end() || found->second.resolved
      || reply_status_of(reply) != "completed")
    return;
  auto& about = found->second;
  if (e.input() == "vote" && !about.asked.contains(who))
    e.report(match_rule,
             "participant " + quote(who) + " votes, and was not asked");
  if (const auto choice = text_of(cast, "for"); about.sides.contains(choice))
    about.votes.emplace_back(who, choice);
}

void conflict_check::check_open(const checked_event& e) {
  const bool ends = e.is("MAPSessionCompleted");
  if (ends)
    waiting_.merge(asked_);
  for (const auto& id : std::exchange(waiting_, {}))
    if (all_.find(id)->second.resolved)
      e.report(match_rule, "conflict " + quote(id)
                             + " lets a write stand, which does not follow");
    else
      e.report(open_rule,
               "conflict " + quote(id) + " is open at "
                 + (ends ? "the session's end"
                         : std::string{e.type} + ", and no one was asked"));
}

} // namespace convene::protocol
