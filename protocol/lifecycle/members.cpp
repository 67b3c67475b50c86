#include <convene/protocol/json/members.hpp>
#include <convene/protocol/lifecycle/edit_rules.hpp>
#include <convene/protocol/lifecycle/facts.hpp>
#include <convene/protocol/lifecycle/members.hpp>
#include <convene/protocol/lifecycle/record.hpp>
#include <convene/protocol/lifecycle/rounds.hpp>

#include <set>

namespace convene::protocol {
namespace {

/// The member that has events of its own, if the kind has one.
std::string_view told_apart(const lifecycle& of) {
  if (const auto* rule = find_part_rule(of.owner))
    return rule->member;
  if (of.owner == module::confirm)
    return "decisions";
  return of.owner == module::role ? "capabilities" : "";
}

tl::unexpected<error> refuse(const object_change& change, std::string rule,
                             std::string why) {
  return fail({.code = errc::not_allowed,
               .message = "confirm "
                          + quote(text_of(change.after, "confirm_id")) + ": "
                          + std::move(why),
               .pointer = "/decisions",
               .rule = std::move(rule)});
}

void record_capability(const object_change& change, std::string_view type,
                       std::string_view capability, lifecycle_events& out) {
  record_graph(change.of, {type, "node_update"},
               {.id = text_of(change.after, "role_id")}, out);
  out.back().payload["capability"] = capability;
}

} // namespace

bool has_own_edits(const object_change& change) {
  const auto apart = told_apart(change.of);
  const auto differs = [&](const json::object& a, const json::object& b) {
    for (const auto& [name, value] : a) {
      const auto* other = b.if_contains(name);
      if (name != apart && name != "status" && !is_bookkeeping(name)
          && (other == nullptr || *other != value))
        return true;
    }
    return false;
  };
  return differs(*change.before, change.after)
         || differs(change.after, *change.before);
}

result<void> change_decisions(const object_change& change,
                              lifecycle_events& out) {
  if (change.of.owner != module::confirm)
    return {};
  static const json::object none;
  const auto was = objects_of(change.before == nullptr ? none : *change.before,
                              "decisions");
  const auto now = objects_of(change.after, "decisions");
  bool kept = was.size() <= now.size();
  for (std::size_t i = 0; kept && i < was.size(); ++i)
    kept = *was[i] == *now[i];
  if (!kept)
    return refuse(change, "decision_written_once",
                  "a decision changed or is gone; leave decisions as they "
                  "are, and add new ones behind them");
  std::vector<decision_status> statuses;
  std::set<std::string_view> ids;
  for (std::size_t i = 0; i < now.size(); ++i) {
    const auto id = text_of(*now[i], "decision_id");
    if (!ids.insert(id).second)
      return refuse(change, "decision_written_once",
                    "two decisions have the id " + quote(id)
                      + "; give each its own");
    if (i >= was.size()
        && settled_status(statuses, change.policy) != confirm_status::pending)
      return refuse(change, "decision_settles",
                    "decision " + quote(id)
                      + " comes after one that has settled it; make a new "
                        "Confirm");
    const auto word = text_of(*now[i], "status");
    const auto status = from_word<decision_status>(word);
    if (!status)
      return refuse(change, "status_known",
                    "no decision has the status " + quote(word)
                      + "; use one of approved, rejected, cancelled");
    statuses.push_back(*status);
    if (i >= was.size())
      record_decision({.id = text_of(change.after, "confirm_id")}, id, out);
  }
  const auto settled = to_word(settled_status(statuses, change.policy));
  const auto status = text_of(change.after, "status");
  if (now.size() > was.size() && settled != "pending" && status == "pending")
    return refuse(change, "decision_settles",
                  "its decisions make it " + quote(settled)
                    + ", and it is still pending; set its status with them");
  return {};
}

result<void> check_messages(const object_change& change) {
  if (change.of.owner != module::dialog || change.before == nullptr)
    return {};
  const auto was = objects_of(*change.before, "messages");
  const auto now = objects_of(change.after, "messages");
  for (std::size_t i = 0; i < was.size(); ++i)
    if (i >= now.size() || *was[i] != *now[i])
      return fail({.code = errc::not_allowed,
                   .message = "dialog "
                              + quote(text_of(change.after, "dialog_id"))
                              + ": a message changed or is gone; leave "
                                "messages as they are, and add new ones "
                                "behind them",
                   .pointer = "/messages/" + std::to_string(i),
                   .rule = "message_written_once"});
  return {};
}

void change_capabilities(const object_change& change, lifecycle_events& out) {
  if (change.of.owner != module::role || change.before == nullptr)
    return;
  const auto set_of = [](const json::object& role) {
    const auto all = texts_of(role, "capabilities");
    return std::set<std::string_view>{all.begin(), all.end()};
  };
  const auto was = set_of(*change.before);
  const auto now = set_of(change.after);
  for (const auto one : now)
    if (!was.contains(one))
      record_capability(change, "capability_granted", one, out);
  for (const auto one : was)
    if (!now.contains(one))
      record_capability(change, "capability_revoked", one, out);
}

} // namespace convene::protocol
