#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/protocol/lifecycle/facts.hpp>
#include <convene/protocol/lifecycle/references.hpp>

#include <set>

namespace convene::protocol {
namespace {

/// A member that names an object of another module; of an array, that of each
/// of its elements.
struct reference {
  module from;
  std::string_view array; ///< empty: the member is the object's own
  std::string_view member;
  module to;
};

constexpr reference table[]{
  {module::plan, "", "context_id", module::context},
  {module::trace, "", "context_id", module::context},
  {module::trace, "", "plan_id", module::plan},
  {module::collab, "", "context_id", module::context},
  {module::dialog, "", "context_id", module::context},
  {module::extension, "", "context_id", module::context},
  {module::network, "", "context_id", module::context},
  {module::context, "", "owner_role", module::role},
  {module::plan, "steps", "agent_role", module::role},
  {module::confirm, "", "requested_by_role", module::role},
  {module::confirm, "decisions", "decided_by_role", module::role},
  {module::collab, "participants", "role_id", module::role},
  {module::network, "nodes", "role_id", module::role},
};

/// Where a reference stands, for an error.
struct place {
  const lifecycle& of;
  const json::object& document;
  std::string pointer;
};

tl::unexpected<error> refuse(const place& at, std::string rule,
                             std::string_view what, std::string_view id,
                             std::string_view wrong) {
  return fail({.code = errc::not_allowed,
               .message = std::string{at.of.name} + ' '
                          + quote(text_of(at.document, at.of.id_member))
                          + ": the " + std::string{what} + ' ' + quote(id)
                          + " that it refers to " + std::string{wrong},
               .pointer = at.pointer,
               .rule = std::move(rule),
               .value = shorten(id)});
}

result<void> check_one(const place& at, module to, std::string_view id,
                       bool creates, const object_lookup& known) {
  const auto* found = find_object(known, to, id);
  if (found == nullptr)
    return refuse(at, "reference_missing", to_word(to), id,
                  "is not there; create it first, or correct the reference");
  if (creates && to == module::context && text_of(*found, "status") == "closed")
    return refuse(at, "reference_status", to_word(to), id,
                  "is closed and takes nothing new; use one that is open");
  return {};
}

/// The members of one row of the table.
result<void> check_row(const reference& row, const lifecycle& of,
                       const json::object& document, bool creates,
                       const object_lookup& known) {
  const auto check = [&](const json::object& from, std::string pointer) {
    const auto id = text_of(from, row.member);
    if (id.empty())
      return result<void>{}; // absent, or the schema's to refuse
    return check_one({of, document, pointer + '/' + std::string{row.member}},
                     row.to, id, creates, known);
  };
  if (row.array.empty())
    return check(document, "");
  std::size_t i = 0;
  for (const auto* one : objects_of(document, row.array))
    if (auto ok
        = check(*one, '/' + std::string{row.array} + '/' + std::to_string(i++));
        !ok)
      return ok;
  return {};
}

result<void> check_target(const lifecycle& of, const json::object& document,
                          const object_lookup& known) {
  const auto type = from_word<module>(text_of(document, "target_type"));
  if (!type)
    return {}; // "other" may be anything
  return check_one({of, document, "/target_id"}, *type,
                   text_of(document, "target_id"), false, known);
}

result<void> check_last_confirm(const lifecycle& of,
                                const json::object& document,
                                const object_lookup& known) {
  const auto& governance = object_of(document, "governance");
  if (!governance.contains("lastConfirmRef"))
    return {};
  const auto& ref = object_of(governance, "lastConfirmRef");
  const place at{of, document, "/governance/lastConfirmRef"};
  const auto id = text_of(ref, "id");
  if (text_of(ref, "module") != to_word(module::confirm))
    return refuse(at, "reference_missing", "object", id,
                  "is not a Confirm; name the Confirm that allowed the change");
  return check_one(at, module::confirm, id, false, known);
}

result<void> check_segments(const lifecycle& of, const json::object& document) {
  const auto segments = objects_of(document, "segments");
  std::set<std::string_view> ids;
  for (const auto* one : segments)
    ids.insert(text_of(*one, "segment_id"));
  for (std::size_t i = 0; i < segments.size(); ++i) {
    const auto parent = text_of(*segments[i], "parent_segment_id");
    if (!parent.empty() && !ids.contains(parent))
      return refuse({of, document,
                     "/segments/" + std::to_string(i) + "/parent_segment_id"},
                    "reference_missing", "segment", parent,
                    "is not in this Trace; add it, or correct the reference");
  }
  return {};
}

} // namespace

result<void> check_references(const lifecycle& of, const json::object& document,
                              bool creates, const object_lookup& known,
                              const lifecycle_policy& policy) {
  for (const auto& row : table)
    if (row.from == of.owner
        && (row.to != module::role || policy.roles_resolve))
      if (auto ok = check_row(row, of, document, creates, known); !ok)
        return ok;
  if (of.owner == module::confirm)
    if (auto ok = check_target(of, document, known); !ok)
      return ok;
  if (of.owner == module::trace)
    if (auto ok = check_segments(of, document); !ok)
      return ok;
  return check_last_confirm(of, document, known);
}

} // namespace convene::protocol
