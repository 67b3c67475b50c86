#include <convene/protocol/base/unneeded_answer.hpp>
#include <convene/protocol/base/utf8.hpp>
#include <convene/protocol/documents/approval.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/protocol/json/parts.hpp>
#include <convene/protocol/shown/shown_text.hpp>
#include <convene/session/story/event_words.hpp>
#include <convene/session/story/session_story.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>

namespace convene::session {

using namespace words;

namespace {

using protocol::fit;
using protocol::integer_of;
using protocol::neutral;
using protocol::object_of;
using protocol::text_of;
using protocol::texts_of;

constexpr std::size_t participants_max = 10'000;
constexpr std::size_t open_max = 100'000;
constexpr std::size_t wrote_max = 3;
constexpr std::size_t answer_kinds_max = 16;

} // namespace

void session_story::happens(std::string words) {
  ++facts_.happenings;
  if (facts_.first.size() < first_told) {
    facts_.first.push_back({now_, facts_.events, std::move(words)});
    return;
  }
  facts_.last_ones.push_back({now_, facts_.events, std::move(words)});
  if (facts_.last_ones.size() > last_told)
    facts_.last_ones.pop_front();
}

participant_story* session_story::participant(std::string_view id) {
  auto& all = facts_.participants;
  if (const auto known = all.find(id); known != all.end())
    return &known->second;
  if (id.empty() || all.size() == participants_max)
    return nullptr;
  return &all[std::string{id}];
}

void session_story::add(const json::object& event) {
  ++facts_.events;
  rules_.add(event);
  if (const auto at = protocol::parse_timestamp(text_of(event, "timestamp"))) {
    now_ = std::max(now_, *at);
    facts_.last = now_;
    if (!facts_.started)
      facts_.started = now_;
  }
  const auto type = text_of(event, "event_type");
  const auto& payload = object_of(event, "payload");
  if (type == "MAPSessionStarted")
    take_start(payload);
  else if (type == "MAPRolesAssigned")
    take_roles(payload);
  else if (type == "MAPTurnDispatched")
    take_dispatch(payload);
  else if (type == "MAPTurnCompleted")
    take_turn(payload);
  else if (type == "MAPBroadcastSent")
    take_broadcast(payload);
  else if (type == "MAPBroadcastReceived")
    take_received(payload);
  else if (type == "resource_written")
    take_write(payload);
  else if (type == "MAPConflictDetected")
    take_conflict(payload);
  else if (type == "MAPConflictResolved")
    take_ruling(payload);
  else if (type == "MAPHandoffInitiated")
    take_handoff(payload);
  else if (type == "session_input")
    take_input(payload);
  else if (type == "action_ended")
    take_action_end(event, payload);
  else if (type == "write_refused" || type == "claim_refused")
    take_refusal({.what = type == "write_refused" ? "write" : "claim",
                  .resource = resource_in(payload),
                  .by = name(text_of(payload, "participant_id")),
                  .token = std::string{text_of(payload, "token_id")}},
                 error_words(payload));
  else if (type == "MAPSessionCompleted") {
    facts_.has_end = true;
    facts_.status = kept(text_of(payload, "status"));
    facts_.stop_reason = object_of(payload, "stop_reason");
    facts_.usage = object_of(payload, "usage");
  }
}

std::uint64_t session_story::open_requests() const {
  std::uint64_t all = 0;
  for (const auto& [token, request] : open_)
    all += request.receivers;
  return all;
}

void session_story::take_start(const json::object& payload) {
  facts_.has_beginning = true;
  facts_.started = now_;
  facts_.title = kept(text_of(payload, "title"));
  facts_.purpose = kept(text_of(payload, "purpose"));
  facts_.mode = kept(text_of(payload, "mode"));
  facts_.policy = kept(text_of(payload, "policy"));
  for (const auto& [id, behaviour] :
       object_of(object_of(payload, "spec"), "behaviours"))
    if (const auto* one = behaviour.if_object()) {
      if (id == "*") // is nobody: it is for those who are not named
        others_behaviour_ = kept(text_of(*one, "type"));
      else if (auto* who = participant(id))
        who->behaviour = kept(text_of(*one, "type"));
    }
}

void session_story::take_roles(const json::object& payload) {
  for (const auto& each : protocol::items_of(payload, "assignments")) {
    const auto* one = each.if_object();
    auto* who = one == nullptr ? nullptr
                               : participant(text_of(*one, "participant_id"));
    if (who == nullptr)
      continue;
    if (who->behaviour.empty())
      who->behaviour = others_behaviour_;
    who->role = kept(text_of(*one, "role_id"));
    who->kind = kept(text_of(*one, "kind"));
    who->role_name = kept(text_of(*one, "role_name"));
  }
}

void session_story::take_dispatch(const json::object& payload) {
  ++facts_.turns;
  if (auto* who = participant(text_of(payload, "participant_id")))
    ++who->asked;
  if (open_.size() < open_max)
    open_[std::string{text_of(payload, "token_id")}]
      = {.task = said(text_of(payload, "task"))};
  const auto handoff = text_of(payload, "handoff_id");
  for (auto& one : facts_.handoffs.first)
    if (!handoff.empty() && one.id == handoff)
      one.turn = integer_of(payload, "turn_number");
}

void session_story::answered(std::string_view who, const json::object& payload,
                             const std::string& before,
                             const std::string& after) {
  const auto status = text_of(payload, "status");
  if (auto* one = participant(who)) {
    constexpr std::size_t kind_columns = 40;
    auto kind = fit(neutral(status.substr(0, kind_columns * 8)), kind_columns);
    if (one->answers.size() >= answer_kinds_max && !one->answers.contains(kind))
      kind = "other";
    ++one->answers[std::move(kind)];
    // Years, so that no sum of them overflows.
    constexpr std::int64_t took_max = 100'000'000'000;
    const auto took = std::clamp<std::int64_t>(
      integer_of(payload, "duration_ms").value_or(0), 0, took_max);
    one->busy_ms += took;
    one->longest_ms = std::max(one->longest_ms, took);
  }
  const auto code = text_of(object_of(payload, "error"), "code");
  const bool is_failure = status == "failed" || status == "timed_out"
                          || status == "declined";
  if (is_failure && !protocol::is_unneeded_answer(code)) {
    const auto error = whole_error_words(payload);
    fails(before + error + after, error);
  }
  happens(before + error_words(payload) + after);
}

void session_story::fails(std::string words, std::string_view reason) {
  const auto hash = std::hash<std::string_view>{}(reason.empty() ? words
                                                                 : reason);
  for (auto& each : facts_.failures.first)
    if (each.reason == hash) {
      ++each.times;
      ++facts_.failures.total;
      return;
    }
  facts_.failures.add({{now_, facts_.events, std::move(words)}, hash});
}

void session_story::take_turn(const json::object& payload) {
  const auto token = open_.find(text_of(payload, "token_id"));
  const auto who = text_of(payload, "participant_id");
  const auto status = text_of(payload, "status");
  const auto content = text_of(object_of(payload, "reply"), "content");
  const auto words = fmt::format("{}, asked {} (turn {}), {}", name(who),
                                 token == open_.end() ? "" : token->second.task,
                                 integer_of(payload, "turn_number").value_or(0),
                                 ended_words(status));
  auto after = content.empty() ? "" : ": " + said(content);
  if (token != open_.end()) {
    for (const auto& [verb, all] :
         {std::pair{"it wrote", &token->second.wrote},
          std::pair{"refused:", &token->second.was_refused}})
      for (std::size_t i = 0; i < all->size(); ++i)
        after += (i == 0 ? fmt::format("; {} ", verb) : ", ") + (*all)[i];
    open_.erase(token);
  }
  answered(who, payload, words, after);
}

void session_story::take_broadcast(const json::object& payload) {
  ++facts_.broadcasts;
  const auto to = texts_of(payload, "target_participants");
  for (const auto one : to)
    if (auto* who = participant(one))
      ++who->asked;
  const auto task = said(text_of(object_of(payload, "message"), "task"));
  if (open_.size() < open_max && !to.empty())
    open_[std::string{text_of(payload, "broadcast_id")}]
      = {.task = task, .receivers = to.size()};
  happens(fmt::format("{} asked all {} others: {}",
                      name(text_of(payload, "broadcaster_participant")),
                      to.size(), task));
}

void session_story::take_received(const json::object& payload) {
  const auto who = text_of(payload, "receiver_participant");
  const auto content = text_of(object_of(payload, "reply"), "content");
  if (const auto open = open_.find(text_of(payload, "broadcast_ref"));
      open != open_.end() && --open->second.receivers == 0)
    open_.erase(open);
  answered(who, payload,
           name(who) + ' ' + ended_words(text_of(payload, "status")),
           content.empty() ? "" : ": " + said(content));
}

void session_story::take_write(const json::object& payload) {
  ++facts_.writes;
  if (auto* who = participant(text_of(payload, "participant_id")))
    ++who->writes;
  const auto open = open_.find(text_of(payload, "token_id"));
  if (open != open_.end() && open->second.wrote.size() < wrote_max)
    open->second.wrote.push_back(
      fmt::format("{} (version {})", resource_in(payload),
                  integer_of(payload, "version").value_or(0)));
}

void session_story::take_conflict(const json::object& payload) {
  conflict_story made{.at = now_,
                      .event = facts_.events,
                      .id = kept(text_of(payload, "conflict_id")),
                      .type = kept(text_of(payload, "conflict_type")),
                      .resource = resource_in(payload)};
  constexpr std::size_t sides_max = 8;
  for (const auto one : texts_of(payload, "conflicting_participants"))
    if (made.sides.size() < sides_max)
      made.sides.push_back(kept(one));
  const auto& details = object_of(payload, "details");
  const bool is_write = details.contains("op") || details.contains("write");
  disputed_ = {};
  if (is_write || details.contains("claim"))
    disputed_ = {.conflict_id = made.id,
                 .what = is_write ? "write" : "claim",
                 .resource = made.resource,
                 .by = name(text_of(details, "participant_id")),
                 .token = kept(text_of(details, "presented_token"))};
  facts_.conflicts.add(std::move(made));
}

void session_story::take_ruling(const json::object& payload) {
  const auto id = text_of(payload, "conflict_id");
  if (!id.empty() && disputed_.conflict_id == id
      && text_of(payload, "resolution_strategy") == "reject")
    take_refusal(disputed_,
                 fmt::format(" ({})",
                             neutral(kept(text_of(payload, "reason")))));
  disputed_ = {};
  for (auto& one : facts_.conflicts.first) {
    if (id.empty() || one.id != id)
      continue;
    one.is_settled = true;
    one.strategy = kept(text_of(payload, "resolution_strategy"));
    one.winner = kept(text_of(payload, "winning_participant"));
    one.reason = kept(text_of(payload, "reason"));
    const auto& votes = protocol::items_of(payload, "votes");
    one.votes.clear(); // the last ruling stands
    for (std::size_t i = 0; i < std::min(votes.size(), first_told); ++i)
      if (const auto* vote = votes[i].if_object())
        one.votes.push_back(fmt::format("{} for {}",
                                        name(text_of(*vote, "participant_id")),
                                        name(text_of(*vote, "for"))));
  }
}

void session_story::take_refusal(const disputed& what, const std::string& why) {
  const auto open = open_.find(what.token);
  if (open != open_.end() && open->second.was_refused.size() < wrote_max)
    open->second.was_refused.push_back(
      fmt::format("the {} of {}", what.what, what.resource));
  fails(fmt::format("a {} of {} by {} was refused{}", what.what, what.resource,
                    what.by, why));
}

void session_story::take_handoff(const json::object& payload) {
  facts_.handoffs.add({.at = now_,
                       .event = facts_.events,
                       .id = kept(text_of(payload, "handoff_id")),
                       .from = kept(text_of(payload, "from_participant")),
                       .to = kept(text_of(payload, "to_participant")),
                       .instructions = kept(text_of(payload, "instructions"))});
}

void session_story::take_input(const json::object& payload) {
  const auto input = text_of(payload, "input");
  const auto who = name(text_of(payload, "participant_id"));
  const auto reason = text_of(payload, "reason");
  const auto because = reason.empty() ? "" : ": " + said(reason);
  if (input == "decision") {
    ++facts_.decisions;
    if (auto* one = participant(text_of(payload, "participant_id")))
      ++one->decisions;
    const auto refused = text_of(payload, "refused");
    auto words = fmt::format("{} decided: {}", who,
                             decision_words(object_of(payload, "reply")));
    if (!refused.empty()) {
      words += fmt::format(", which was refused: {}", said(refused));
      fails(words);
    }
    happens(std::move(words));
  } else if (!trouble_words(input).empty()) {
    auto words = fmt::format("{} {}{}", input == "fault" ? "the session" : who,
                             trouble_words(input), because);
    fails(words);
    happens(std::move(words));
  } else if (input == "vote" || input == "escalation") {
    if (auto* one = participant(text_of(payload, "participant_id")))
      ++one->votes;
  } else if (input == "participant_up") {
    happens(who + " is back");
  } else if (const auto words = control_words(input); !words.empty()) {
    happens(std::string{words} + because);
  }
}

void session_story::take_action_end(const json::object& event,
                                    const json::object& payload) {
  ++facts_.actions;
  const auto& result = object_of(payload, "result");
  const auto* const output = result.if_contains("output");
  if (const auto heard = output == nullptr ? std::nullopt
                                           : protocol::verdict_in(*output);
      heard
      && !protocol::approved_position(text_of(payload, "position")).empty())
    happens(fmt::format(
      "{} {} {}'s call of {}{}", name(text_of(output->get_object(), "by")),
      heard->approved ? "approved" : "refused",
      name(text_of(payload, "participant_id")),
      name(text_of(output->get_object(), "call")),
      heard->reason.empty() ? "" : ": " + said(heard->reason)));
  if (text_of(event, "status") != "failed")
    return;
  const auto error = whole_error_words(result);
  fails(fmt::format("an action of {} failed{}",
                    name(text_of(payload, "participant_id")), error),
        "action " + error);
}

} // namespace convene::session
