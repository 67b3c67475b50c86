#include <convene/protocol/json/members.hpp>
#include <convene/protocol/lifecycle/edit_rules.hpp>
#include <convene/protocol/lifecycle/tables.hpp>

#include <algorithm>

namespace convene::protocol {
namespace {

using word = std::string_view;

constexpr word draft[]{"draft"};
constexpr word active[]{"active"};
constexpr word open_core[]{"draft", "active"};
constexpr word open_context[]{"draft", "active", "suspended"};
constexpr word open_trace[]{"pending", "running", "active"};
constexpr word open_network[]{"draft", "provisioning", "active", "degraded",
                              "maintenance"};
// A reply may bring tasks, which become steps of the running plan.
constexpr word growing_plan[]{"draft", "in_progress"};

constexpr part_rule parts[]{
  {module::plan, "steps", &tables::step, growing_plan, draft, draft},
  {module::trace, "segments", &tables::segment, open_trace, {}, open_trace},
  {module::core, "modules", &tables::core_module, open_core, open_core,
   open_core},
  {module::network, "nodes", &tables::node, open_network, open_network,
   open_network},
};

struct edit_rule {
  module owner;
  word member; ///< empty: all but bookkeeping
  std::span<const word> in;
};

constexpr edit_rule edits[]{
  {module::context, "", open_context},     {module::trace, "", open_trace},
  {module::collab, "participants", draft}, {module::collab, "mode", draft},
  {module::dialog, "messages", active},
};

bool is_member(const lifecycle& of, word name) {
  const auto* rule = find_part_rule(of.owner);
  return name != "status" && (rule == nullptr || rule->member != name);
}

bool differs(const json::object& before, const json::object& after,
             word member) {
  const auto* old_value = before.if_contains(member);
  const auto* new_value = after.if_contains(member);
  if (old_value == nullptr || new_value == nullptr)
    return old_value != new_value;
  return *old_value != *new_value;
}

} // namespace

const part_rule* find_part_rule(module owner) noexcept {
  const auto* found = std::ranges::find(parts, owner, &part_rule::owner);
  return found == std::end(parts) ? nullptr : found;
}

bool is_one_of(std::string_view status,
               std::span<const std::string_view> all) noexcept {
  return std::ranges::find(all, status) != all.end();
}

bool is_bookkeeping(std::string_view member) noexcept {
  return member == "meta" || member == "governance" || member == "updated_at";
}

result<void> check_edits(const lifecycle& of, const json::object& before,
                         const json::object& after) {
  const auto status = text_of(before, "status");
  const auto check = [&](word member) -> result<void> {
    if (!differs(before, after, member))
      return {};
    return fail({.code = errc::not_allowed,
                 .message = std::string{of.name} + ' '
                            + quote(text_of(before, of.id_member)) + ": "
                            + quote(member) + " may not change while it is "
                            + quote(status) + "; leave the member as it is",
                 .pointer = '/' + std::string{member},
                 .rule = "frozen"});
  };
  for (const auto& rule : edits) {
    if (rule.owner != of.owner || is_one_of(status, rule.in))
      continue;
    if (!rule.member.empty()) {
      if (auto ok = check(rule.member); !ok)
        return ok;
      continue;
    }
    for (const auto* side : {&before, &after})
      for (const auto& [name, value] : *side)
        if (is_member(of, name) && !is_bookkeeping(name))
          if (auto ok = check(name); !ok)
            return ok;
  }
  return {};
}

} // namespace convene::protocol
