#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/protocol/lifecycle/document_change.hpp>
#include <convene/protocol/lifecycle/edit_rules.hpp>
#include <convene/protocol/lifecycle/facts.hpp>
#include <convene/protocol/lifecycle/members.hpp>
#include <convene/protocol/lifecycle/record.hpp>
#include <convene/protocol/lifecycle/references.hpp>

namespace convene::protocol {
namespace {

tl::unexpected<error> refuse(const object_change& change, std::string rule,
                             std::string why, std::string pointer) {
  return fail({.code = errc::not_allowed,
               .message = std::string{change.of.name} + ' '
                          + quote(text_of(change.after, change.of.id_member))
                          + ": " + std::move(why),
               .pointer = std::move(pointer),
               .rule = std::move(rule)});
}

/// Ids stay as they are; one that was left out may still be given.
result<void> check_ids(const object_change& change) {
  if (text_of(change.after, change.of.id_member).empty())
    return fail({.code = errc::invalid_document,
                 .message = "a " + std::string{change.of.name} + " needs "
                            + std::string{change.of.id_member}
                            + "; give it one",
                 .rule = "required"});
  if (change.before == nullptr)
    return {};
  for (const auto& [name, value] : *change.before) {
    const auto* now = change.after.if_contains(name);
    if (!name.ends_with("_id") || (now != nullptr && *now == value))
      continue;
    return fail(
      {.code = errc::not_allowed,
       .message = std::string{change.of.name} + ' '
                  + quote(text_of(*change.before, change.of.id_member)) + ": "
                  + std::string{name} + " was " + shorten_value(value)
                  + " and ids never change; keep it, or make a new "
                  + std::string{change.of.name},
       .pointer = '/' + std::string{name},
       .rule = "immutable_id",
       .value = now == nullptr ? std::string{} : shorten_value(*now)});
  }
  return {};
}

bool is_locked(const json::object& document) {
  const auto* locked = object_of(document, "governance").if_contains("locked");
  return locked != nullptr && locked->is_bool() && locked->get_bool();
}

/// Whether the change names a Confirm that allows it, and not the one that an
/// earlier change has named.
bool overrides_lock(const object_change& change) {
  const auto confirm_of = [](const json::object& document) {
    return text_of(
      object_of(object_of(document, "governance"), "lastConfirmRef"), "id");
  };
  const auto id = confirm_of(change.after);
  if (id.empty() || id == confirm_of(*change.before))
    return false;
  const auto* found = find_object(change.known, module::confirm, id);
  return found != nullptr && is_approval(*found)
         && text_of(*found, "target_id")
              == text_of(change.after, change.of.id_member);
}

result<void> check_lock(const object_change& change) {
  if (change.of.owner == module::plan) {
    const auto* context = find_object(change.known, module::context,
                                      text_of(change.after, "context_id"));
    if (context != nullptr && is_locked(*context))
      return refuse(change, "locked",
                    "its Context is locked, and a Plan with it; unlock the "
                    "Context by a Confirm about it",
                    "/context_id");
  }
  if (change.before == nullptr || !is_locked(*change.before)
      || overrides_lock(change))
    return {};
  return refuse(change, "locked",
                "governance.locked freezes it (status "
                  + quote(text_of(*change.before, "status")) + " to "
                  + quote(text_of(change.after, "status"))
                  + "); have a Confirm about it approved and name that in "
                    "governance.lastConfirmRef",
                "/governance/locked");
}

status_change own_change(const object_change& change) {
  const auto id = text_of(change.after, change.of.id_member);
  const auto context = change.of.owner == module::context
                         ? id
                         : text_of(change.after, "context_id");
  return {.id = id,
          .from = change.before == nullptr ? std::string_view{}
                                           : text_of(*change.before, "status"),
          .to = text_of(change.after, "status"),
          .graph_id = context};
}

/// The object's own events: its status, or that something else of it changed.
result<void> change_object(const object_change& change, lifecycle_events& out) {
  auto own = own_change(change);
  const bool moves = change.before == nullptr || own.from != own.to;
  if (moves) {
    own.holds = facts_of(change.of, change.after, change.known, change.policy);
    if (const auto* rule = find_part_rule(change.of.owner))
      own.node_delta += static_cast<std::int64_t>(
        objects_of(change.after, rule->member).size());
    auto events = transition(change.of, own, change.policy);
    if (!events)
      return fail(events.error());
    out.insert(out.end(), events->begin(), events->end());
  } else if (has_own_edits(change)) {
    record_graph(change.of,
                 {std::string{change.of.name} + "_updated", "node_update"}, own,
                 out);
  }
  return {};
}

} // namespace

result<lifecycle_events> check_change(module which, const json::object* before,
                                      const json::object& after,
                                      const object_lookup& known,
                                      const lifecycle_policy& policy) {
  const object_change change{find_lifecycle(which), before, after, known,
                             policy};
  lifecycle_events events;
  if (auto ok = check_ids(change); !ok)
    return fail(ok.error());
  if (before != nullptr && *before == after)
    return events;
  if (auto ok = check_lock(change); !ok)
    return fail(ok.error());
  if (auto ok = check_references(change.of, after, before == nullptr, known,
                                 policy);
      !ok)
    return fail(ok.error());
  if (before != nullptr)
    if (auto ok = check_edits(change.of, *before, after); !ok)
      return fail(ok.error());
  if (auto ok = check_messages(change); !ok)
    return fail(ok.error());
  // What is created comes before its parts, and so does what begins; what ends
  // comes after them.
  const bool ends
    = before != nullptr && !change.of.states.empty()
      && next_statuses(change.of, text_of(after, "status"), policy).empty();
  if (!ends)
    if (auto ok = change_object(change, events); !ok)
      return fail(ok.error());
  if (auto ok = change_parts(change, events); !ok)
    return fail(ok.error());
  if (auto ok = change_decisions(change, events); !ok)
    return fail(ok.error());
  change_capabilities(change, events);
  if (ends)
    if (auto ok = change_object(change, events); !ok)
      return fail(ok.error());
  return events;
}

} // namespace convene::protocol
