#include <convene/protocol/invariants/session_rules.hpp>
#include <convene/protocol/json/members.hpp>

#include <algorithm>
#include <optional>
#include <string_view>

namespace convene::protocol {
namespace {

/// A member of the payload; or of the event, where a reader of the seeds may
/// have put it.
std::string_view find_text(const json::object& event, std::string_view name) {
  const auto inside = text_of(object_of(event, "payload"), name);
  return inside.empty() ? text_of(event, name) : inside;
}

std::optional<std::int64_t> turn_number(const json::object& event) {
  const auto inside = integer_of(object_of(event, "payload"), "turn_number");
  return inside ? inside : integer_of(event, "turn_number");
}

const invariant* find_rule(const rule_set& rules, program_rule wanted) {
  for (const auto& rule : rules.all())
    if (const auto* program = std::get_if<program_rule>(&rule.rule))
      if (*program == wanted)
        return &rule;
  return nullptr;
}

std::string name_turn(std::int64_t number, std::string_view role) {
  return "turn " + std::to_string(number) + " of role " + quote(role);
}

} // namespace

/// Where a session's broken rules go; rules that are not in the set go nowhere.
struct session_rules::report_to {
  std::string_view session_id;
  std::size_t at;
  const session_rule_visitor& visit;

  void operator()(const invariant* rule, std::string message) const {
    (*this)(rule, at, std::move(message));
  }

  void operator()(const invariant* rule, std::size_t place,
                  std::string message) const {
    if (rule != nullptr)
      visit({.rule = rule,
             .session_id = std::string{session_id},
             .at = place,
             .message = std::move(message)});
  }
};

session_rules::session_rules(const rule_set& rules, std::size_t open_max)
  : turn_rule_{find_rule(rules,
                         program_rule::map_turn_completion_matches_dispatch)},
    broadcast_rule_{
      find_rule(rules, program_rule::map_broadcast_has_receivers)},
    write_rule_{find_rule(rules, program_rule::map_exclusive_write)},
    open_max_{open_max} {
  // nop
}

std::size_t session_rules::rules_total() const noexcept {
  return static_cast<std::size_t>(turn_rule_ != nullptr)
         + static_cast<std::size_t>(broadcast_rule_ != nullptr)
         + static_cast<std::size_t>(write_rule_ != nullptr);
}

result<void> session_rules::feed(std::size_t at, const json::value& event,
                                 const session_rule_visitor& report) {
  const auto* members = event.if_object();
  if (members == nullptr)
    return {};
  const auto type = text_of(*members, "event_type");
  const auto id = text_of(*members, "session_id");
  const bool writes = type == "resource_written";
  if ((!type.starts_with("MAP") && !writes) || id.empty())
    return {};
  auto found = sessions_.find(id);
  if (found == sessions_.end() && writes)
    return {}; // of nothing that could be known to take turns
  if (found == sessions_.end()) {
    found = sessions_.emplace(id, session{}).first;
    ++open_;
  }
  auto& here = found->second;
  const report_to to{id, at, report};
  if (type == "MAPSessionStarted") {
    const auto mode = find_text(*members, "mode");
    here.takes_turns = mode == "round_robin" || mode == "orchestrated";
    here.is_pair = mode == "pair";
  } else if (type == "MAPTurnDispatched") {
    dispatch(here, *members, to);
  } else if (type == "MAPTurnCompleted") {
    complete(here, *members, to);
  } else if (type == "MAPBroadcastSent") {
    broadcast(here, *members, to);
  } else if (type == "MAPBroadcastReceived") {
    receive(here, *members);
  } else if (type == "MAPConflictDetected") {
    const auto before = here.disputed.size();
    dispute(here, *members);
    open_ += here.disputed.size() - before;
  } else if (writes) {
    write(here, *members, to);
  } else if (type == "MAPSessionCompleted") {
    close(here, to);
    open_ -= 1 + here.turns.size() + here.broadcasts.size()
             + here.disputed.size() + here.asked.size();
    sessions_.erase(found);
  }
  if (open_ <= open_max_)
    return {};
  return fail(errc::limit_reached,
              "more than " + std::to_string(open_max_)
                + " sessions, turns and broadcasts are open",
              "open_things_max");
}

void session_rules::dispatch(session& in, const json::object& event,
                             const report_to& to) {
  const auto role = find_text(event, "role_id");
  const auto number = turn_number(event);
  if (!number)
    return to(turn_rule_, "a turn of role " + quote(role)
                            + " is dispatched without a turn_number");
  turn next{std::string{role},
            std::string{find_text(event, "token_id")},
            std::string{find_text(event, "participant_id")},
            to.at,
            {resource_names_in(object_of(event, "payload")),
             !find_text(event, "handoff_id").empty()},
            find_text(event, "duty") != "navigator"};
  const auto other = std::ranges::find_if(in.turns, [&](const auto& open) {
    return !are_apart(next.rights, open.second.rights);
  });
  if (in.takes_turns && other != in.turns.end())
    to(write_rule_, name_turn(*number, role) + " is dispatched while turn "
                      + std::to_string(other->first) + " has the token");
  const auto [entry, is_new] = in.turns.try_emplace(*number, std::move(next));
  open_ += is_new ? 1 : 0;
  if (!is_new)
    to(turn_rule_, name_turn(*number, role)
                     + " is dispatched though one of that number is open");
}

void session_rules::complete(session& in, const json::object& event,
                             const report_to& to) {
  const auto role = find_text(event, "role_id");
  const auto number = turn_number(event);
  if (!number)
    return to(turn_rule_, "a turn of role " + quote(role)
                            + " is completed without a turn_number");
  const auto found = in.turns.find(*number);
  if (found == in.turns.end()) {
    to(turn_rule_, name_turn(*number, role) + " is completed but not open");
    if (in.takes_turns)
      to(write_rule_, name_turn(*number, role) + " has no live token");
    return;
  }
  const auto& open = found->second;
  if (role != open.role)
    to(turn_rule_, name_turn(*number, role)
                     + " is completed, but it was dispatched to role "
                     + quote(open.role));
  const auto differs = [&](std::string_view member, const std::string& holder) {
    const auto is = find_text(event, member);
    return !is.empty() && !holder.empty() && is != holder;
  };
  if (in.takes_turns
      && (differs("token_id", open.token)
          || differs("participant_id", open.participant)))
    to(write_rule_, name_turn(*number, role)
                      + " is completed by someone who has not its token");
  in.turns.erase(found);
  --open_;
}

void session_rules::dispute(session& in, const json::object& event) {
  if (!in.takes_turns && !in.is_pair)
    return;
  const auto& details = object_of(object_of(event, "payload"), "details");
  const auto token = text_of(details, "presented_token");
  const bool is_live = is_asked(in, token, text_of(details, "participant_id"))
                       || std::ranges::any_of(in.turns, [&](const auto& open) {
                            return open.second.token == token;
                          });
  if (is_live && details.contains("asked"))
    in.disputed.emplace(find_text(event, "conflict_id"),
                        text_of(details, "participant_id"));
}

void session_rules::write(session& in, const json::object& event,
                          const report_to& to) {
  if (!in.takes_turns && !in.is_pair)
    return;
  const auto who = find_text(event, "participant_id");
  const auto name = quote(find_text(event, "resource_id"));
  const auto conflict = in.disputed.find(find_text(event, "conflict_id"));
  if (conflict != in.disputed.end() && conflict->second == who) {
    in.disputed.erase(conflict);
    --open_;
    return;
  }
  if (is_asked(in, find_text(event, "token_id"), who))
    return;
  const auto turn = std::ranges::find_if(in.turns, [&](const auto& open) {
    return open.second.token == find_text(event, "token_id");
  });
  const auto says = "participant " + quote(who) + " writes " + name;
  // The seeds' turns name roles only.
  const auto holder = turn == in.turns.end() ? std::string{}
                                             : turn->second.participant;
  if (turn == in.turns.end() || (!holder.empty() && holder != who))
    return to(write_rule_, says + " without holding the token");
  if (!turn->second.may_write)
    return to(write_rule_, says + " in a navigator's turn");
  const auto& payload = object_of(event, "payload");
  const resource_names::value_type written{
    std::string{text_of(payload, "resource_type")},
    std::string{text_of(payload, "resource_id")}};
  const auto& rights = turn->second.rights;
  if (const auto& may = rights.resources; may && !may->contains(written))
    to(write_rule_, says + ", which its turn does not name");
  if (rights.writes_the_rest()
      && std::ranges::any_of(in.turns, [&](const auto& open) {
           const auto& may = open.second.rights.resources;
           return may && may->contains(written);
         }))
    to(write_rule_, says + ", which another turn names");
}

void session_rules::broadcast(session& in, const json::object& event,
                              const report_to& to) {
  const auto id = find_text(event, "broadcast_id");
  if (id.empty())
    return to(broadcast_rule_, "a broadcast has no broadcast_id, so nothing "
                               "can name it in an answer");
  const bool is_new = in.broadcasts.try_emplace(std::string{id}, to.at).second;
  open_ += is_new ? 1 : 0;
  if (!in.takes_turns && !in.is_pair)
    return;
  const auto before = in.asked.size();
  for (const auto who :
       texts_of(object_of(event, "payload"), "target_participants"))
    in.asked.emplace(id, who);
  open_ += in.asked.size() - before;
}

bool session_rules::is_asked(const session& in, std::string_view token,
                             std::string_view who) {
  return in.asked.contains({std::string{token}, std::string{who}});
}

void session_rules::receive(session& in, const json::object& event) {
  const auto ref = find_text(event, "broadcast_ref");
  open_ -= in.asked.erase(
    {std::string{ref}, std::string{find_text(event, "receiver_participant")}});
  open_ -= in.broadcasts.erase(std::string{ref});
}

void session_rules::close(const session& ended, const report_to& to) const {
  for (const auto& [number, open] : ended.turns)
    to(turn_rule_, open.at,
       name_turn(number, open.role) + " is never completed");
  for (const auto& [id, at] : ended.broadcasts)
    to(broadcast_rule_, at, "broadcast " + quote(id) + " has no receiver");
}

void session_rules::finish(const session_rule_visitor& report) {
  for (const auto& [id, unfinished] : sessions_)
    close(unfinished, {id, 0, report});
  sessions_.clear();
  open_ = 0;
}

} // namespace convene::protocol
