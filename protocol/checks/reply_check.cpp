#include <convene/protocol/checks/reply_check.hpp>

#include <algorithm>

namespace convene::protocol {
namespace {

constexpr std::string_view writes = "writes";
constexpr std::string_view claims = "claim";

std::string op_of(const json::object& write) {
  const auto op = text_of(write, "op");
  return std::string{op.empty() ? "put" : op};
}

bool is_claim(std::string_view type) {
  return type == "claim_taken" || type == "claim_handed_over"
         || type == "claim_released" || type == "claim_refused";
}

/// The log has a step as it is after its write, the reply what of it changes.
bool is_step_of(const json::value& made, const json::value* wanted) {
  const auto* members = wanted == nullptr ? nullptr : wanted->if_object();
  const auto* description
    = members == nullptr ? nullptr : members->if_contains("description");
  return description == nullptr
         || (made.is_object() && made.get_object().contains("description")
             && made.get_object().at("description") == *description);
}

} // namespace

void reply_check::feed(const checked_event& e) {
  check_reasons(e);
  if (e.answers())
    close(e);
  else if (e.is("MAPHandoffInitiated"))
    hand_off(e);
  else if (e.is("resource_written") || e.is("write_refused")
           || e.is("MAPConflictDetected") || is_claim(e.type))
    note(e);
}

void reply_check::check_reasons(const checked_event& e) {
  constexpr std::string_view rule = "reasoning_matches_reply";
  const bool is_here = e.is("coordination_reasoning");
  const auto expected = std::exchange(expected_, std::nullopt);
  if (is_here != expected.has_value()) {
    e.report(rule, is_here ? "there are reasons, and no reply before gives any"
                           : "a reply gives reasons, which do not follow");
  } else if (is_here) {
    const auto* all = e.payload.if_contains("reasoning");
    if (text_of(e.payload, "token_id") != expected->token
        || text_of(e.payload, "participant_id") != expected->who
        || all == nullptr || *all != expected->all)
      e.report(rule, "the reasons are not those of the reply before");
  }
  const auto& reply = object_of(e.payload, "reply");
  const auto* all = reply.if_contains("reasoning");
  if (all == nullptr || !all->is_array() || all->get_array().empty())
    return;
  const auto either = [&](std::string_view one, std::string_view other) {
    const auto found = text_of(e.payload, one);
    return std::string{found.empty() ? text_of(e.payload, other) : found};
  };
  expected_ = {.token = e.is("session_input")
                          ? either("request_id", "token_id")
                          : either("token_id", "broadcast_ref"),
               .who = either("participant_id", "receiver_participant"),
               .all = json::value(*all, json::storage_ptr{})};
}

void reply_check::note(const checked_event& e) {
  const bool conflicts = e.is("MAPConflictDetected");
  const auto& from = conflicts ? object_of(e.payload, "details")
                               : e.payload.object();
  // Those of a conflict were noted with it; others are inputs of their own.
  if (from.contains("input") || e.payload.contains("conflict_id") != conflicts)
    return;
  const auto token = text_of(from, conflicts ? "presented_token" : "token_id");
  if (token.empty())
    return;
  auto& here
    = open_[{std::string{token}, std::string{text_of(from, "participant_id")}}];
  act made{.resource_type = std::string{text_of(e.payload, "resource_type")},
           .resource_id = std::string{text_of(e.payload, "resource_id")},
           .refused = e.is("claim_refused") || e.is("write_refused")};
  if (is_claim(e.type) || from.contains("claim")) {
    // Of a claim, a conflict is its refusal; a write may win one.
    made.refused = made.refused || conflicts;
    here.claims.push_back(std::move(made));
    return;
  }
  made.op = op_of(from);
  made.base_version = integer_of(from, "base_version");
  if (e.is("resource_written")) {
    const auto* value = from.if_contains("value");
    made.value = value == nullptr ? json::value{} : *value;
  }
  here.writes.push_back(std::move(made));
}

void reply_check::close(const checked_event& e) {
  const bool is_turn = e.is("MAPTurnCompleted");
  const auto token = text_of(e.payload, is_turn ? "token_id" : "broadcast_ref");
  const auto who = text_of(e.payload,
                           is_turn ? "participant_id" : "receiver_participant");
  acts made;
  if (!open_.empty())
    if (auto open = open_.extract({std::string{token}, std::string{who}}))
      made = std::move(open.mapped());
  compare(e, made.writes, writes);
  compare(e, made.claims, claims);
  check_together(e, made);
  const auto& handoff = object_of(object_of(e.payload, "reply"), "handoff");
  if (is_turn && !handoff.empty())
    handoffs_.insert_or_assign(std::string{token},
                               json::object(handoff, json::storage_ptr{}));
}

void reply_check::compare(const checked_event& e, const std::vector<act>& made,
                          std::string_view member) {
  const auto rule = member == writes ? "writes_match_reply"
                                     : "claims_match_reply";
  // Only a turn gives the right to claim.
  const bool counts = e.is_done()
                      && (member == writes || e.is("MAPTurnCompleted"));
  static const json::array none;
  const auto& wanted = counts ? array_of(object_of(e.payload, "reply"), member)
                              : none;
  if (wanted.size() != made.size())
    return e.report(rule, "the reply has " + std::to_string(wanted.size()) + ' '
                            + std::string{member} + ", the log "
                            + std::to_string(made.size()) + " before it");
  for (std::size_t i = 0; i < made.size(); ++i) {
    const auto* one = wanted[i].if_object();
    const auto& is = made[i];
    if (one == nullptr)
      continue;
    const auto* value = one->if_contains("value");
    const bool is_step = member == writes && is.value
                         && is.resource_type == "plan_step";
    const bool same
      = text_of(*one, "resource_type") == is.resource_type
        && text_of(*one, "resource_id") == is.resource_id
        && (member == claims
            || ((is_step || op_of(*one) == is.op)
                && integer_of(*one, "base_version") == is.base_version
                && (!is.value || is.op == "delete"
                    || (is_step && is_step_of(*is.value, value))
                    || *is.value
                         == (value == nullptr ? json::value{} : *value))));
    if (!same)
      e.report(rule, "number " + std::to_string(i + 1) + " of the reply's "
                       + std::string{member} + " is not what the log has of "
                       + quote(is.resource_id) + " before it");
  }
}

void reply_check::check_together(const checked_event& e, const acts& made) {
  const auto& reply = object_of(e.payload, "reply");
  const auto* together = reply.if_contains("claim_all");
  if (together == nullptr || *together != true || made.claims.empty())
    return;
  const auto is_refused = [](const act& one) { return one.refused; };
  if (std::ranges::none_of(made.claims, is_refused))
    return;
  if (!std::ranges::all_of(made.claims, is_refused)
      || !std::ranges::all_of(made.writes, is_refused))
    e.report("claims_match_reply",
             "the reply claims all or nothing, and the log has a part of it");
}

void reply_check::hand_off(const checked_event& e) {
  const auto found
    = handoffs_.extract(std::string{text_of(e.payload, "token_id")});
  if (!found)
    return;
  const auto& wanted = found.mapped();
  for (const auto* member : {"instructions", "reason"})
    if (text_of(wanted, member) != text_of(e.payload, member))
      e.report("handoff_matches_reply",
               std::string{member} + " is not what the giver's reply says");
  const auto to = text_of(wanted, "to");
  const auto who = text_of(e.payload, "to_participant");
  if (!e.session.is_called(who, to))
    e.report("handoff_matches_reply", "participant " + quote(who) + " is not "
                                        + quote(to)
                                        + ", whom the giver's reply names");
}

} // namespace convene::protocol
