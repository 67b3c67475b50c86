// Steps of a Plan, segments of a Trace, modules of a Core, nodes of a Network.

#include <convene/protocol/json/members.hpp>
#include <convene/protocol/lifecycle/edit_rules.hpp>
#include <convene/protocol/lifecycle/facts.hpp>
#include <convene/protocol/lifecycle/members.hpp>
#include <convene/protocol/lifecycle/record.hpp>

#include <unordered_map>

namespace convene::protocol {
namespace {

using objects_by_id = std::unordered_map<std::string_view, const json::object*>;

struct parts_change {
  const object_change& whole;
  const part_rule& rule;
  std::string_view id;     ///< of the whole
  std::string_view status; ///< of the whole, before; empty: it is created

  [[nodiscard]] tl::unexpected<error> refuse(std::string_view part,
                                             std::string_view what) const {
    return fail({.code = errc::not_allowed,
                 .message = std::string{rule.part->name} + ' ' + quote(part)
                            + " of " + std::string{whole.of.name} + ' '
                            + quote(id) + " may not be " + std::string{what}
                            + " while that is " + quote(status)
                            + "; leave it as it is",
                 .pointer = '/' + std::string{rule.member},
                 .rule = "frozen"});
  }

  [[nodiscard]] status_change of(std::string_view part) const {
    return {.id = part,
            .owner_id = id,
            .graph_id = text_of(whole.after, "context_id")};
  }
};

result<objects_by_id> by_id(const parts_change& parts,
                            const json::object& whole) {
  objects_by_id all;
  for (const auto* one : objects_of(whole, parts.rule.member)) {
    const auto id = text_of(*one, parts.rule.part->id_member);
    if (!all.emplace(id, one).second)
      return fail({.code = errc::invalid_document,
                   .message = std::string{parts.whole.of.name} + ' '
                              + quote(parts.id) + " has two of the "
                              + std::string{parts.rule.part->id_member} + ' '
                              + quote(id) + "; give each its own",
                   .pointer = '/' + std::string{parts.rule.member},
                   .rule = "unique_part_id"});
  }
  return all;
}

bool same_but_status(json::object a, json::object b) {
  a.erase("status");
  b.erase("status");
  return a == b;
}

result<void> change_part(const parts_change& parts, const json::object* before,
                         const json::object& after, const part_facts& facts,
                         lifecycle_events& out) {
  const auto& part = *parts.rule.part;
  auto change = parts.of(text_of(after, part.id_member));
  change.to = text_of(after, "status");
  change.holds = facts.of(after);
  if (before == nullptr && !is_one_of(parts.status, parts.rule.open))
    return parts.refuse(change.id, "added");
  if (before != nullptr) {
    change.from = text_of(*before, "status");
    const bool edited = !same_but_status(*before, after);
    const bool is_over
      = next_statuses(part, change.from, parts.whole.policy).empty();
    if (edited && (is_over || !is_one_of(parts.status, parts.rule.changed)))
      return parts.refuse(change.id, "changed");
    if (change.from == change.to) {
      if (edited)
        record_graph(part, {std::string{part.name} + "_updated", "node_update"},
                     change, out);
      return {};
    }
    if (!is_one_of(parts.status, parts.rule.open)
        && !is_one_of(text_of(parts.whole.after, "status"), parts.rule.open))
      return parts.refuse(change.id, "moved on");
  }
  auto events = transition(part, change, parts.whole.policy);
  if (!events)
    return fail(events.error());
  out.insert(out.end(), events->begin(), events->end());
  return {};
}

/// Parts that come with the whole are told of by its event; they need only be
/// such as may be created.
result<void> create_parts(const parts_change& parts, const part_facts& facts) {
  for (const auto* one : objects_of(parts.whole.after, parts.rule.member)) {
    auto change = parts.of(text_of(*one, parts.rule.part->id_member));
    change.to = text_of(*one, "status");
    change.holds = facts.of(*one);
    if (auto made = transition(*parts.rule.part, change, parts.whole.policy);
        !made)
      return fail(made.error());
  }
  return {};
}

} // namespace

result<void> change_parts(const object_change& whole, lifecycle_events& out) {
  const auto* rule = find_part_rule(whole.of.owner);
  if (rule == nullptr)
    return {};
  const parts_change parts{whole, *rule,
                           text_of(whole.after, whole.of.id_member),
                           whole.before == nullptr
                             ? std::string_view{}
                             : text_of(*whole.before, "status")};
  const part_facts facts{*rule->part, whole.after, whole.known};
  const auto now = by_id(parts, whole.after);
  if (!now)
    return fail(now.error());
  if (whole.before == nullptr)
    return create_parts(parts, facts);
  const auto was = by_id(parts, *whole.before);
  if (!was)
    return fail(was.error());
  for (const auto* one : objects_of(*whole.before, rule->member)) {
    const auto id = text_of(*one, rule->part->id_member);
    if (now->contains(id))
      continue;
    if (!is_one_of(parts.status, rule->removed))
      return parts.refuse(id, "removed");
    record_graph(*rule->part,
                 {std::string{rule->part->name} + "_removed", "node_delete",
                  -1},
                 parts.of(id), out);
  }
  for (const auto* one : objects_of(whole.after, rule->member)) {
    const auto found = was->find(text_of(*one, rule->part->id_member));
    if (auto ok = change_part(parts,
                              found == was->end() ? nullptr : found->second,
                              *one, facts, out);
        !ok)
      return ok;
  }
  return {};
}

} // namespace convene::protocol
