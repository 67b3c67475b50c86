#include <convene/protocol/base/nearest.hpp>
#include <convene/protocol/events/core_event.hpp>
#include <convene/protocol/graph/document_nodes.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/members.hpp>

#include <array>
#include <span>

namespace convene::protocol {
namespace {

using kind = graph_node_kind;

/// How parts of a document are named: by a member, or by their place.
struct part_row {
  std::string_view list;
  kind is;
  std::string_view id; ///< empty: the place in the list
};

struct document_row {
  module which;
  kind is;
  std::string_view id;
  part_row parts; ///< empty list: it has none
};

constexpr std::array<document_row, 10> rows{{
  {module::context, kind::context, "context_id", {}},
  {module::role, kind::role, "role_id", {}},
  {module::core,
   kind::core,
   "core_id",
   {"modules", kind::module_entry, "module_id"}},
  {module::extension, kind::extension, "extension_id", {}},
  {module::network,
   kind::network,
   "network_id",
   {"nodes", kind::network_node, "node_id"}},
  {module::plan, kind::plan, "plan_id", {"steps", kind::step, "step_id"}},
  {module::trace,
   kind::trace,
   "trace_id",
   {"segments", kind::segment, "segment_id"}},
  {module::dialog, kind::dialog, "dialog_id", {"messages", kind::message, ""}},
  {module::collab,
   kind::collab,
   "collab_id",
   {"participants", kind::participant, "participant_id"}},
  {module::confirm,
   kind::confirm,
   "confirm_id",
   {"decisions", kind::decision, "decision_id"}},
}};

const document_row& row_of(module which) {
  return *std::ranges::find(rows, which, &document_row::which);
}

/// What a node keeps of its object, by kind.
std::span<const std::string_view> kept_members(kind of) {
  using texts = std::span<const std::string_view>;
  static constexpr std::array<std::string_view, 2> titled{"title", "status"};
  static constexpr std::array<std::string_view, 2> role{"name", "capabilities"};
  static constexpr std::array<std::string_view, 4> step{"description", "status",
                                                        "agent_role",
                                                        "order_index"};
  static constexpr std::array<std::string_view, 2> decision{"status",
                                                            "decided_by_role"};
  static constexpr std::array<std::string_view, 1> status{"status"};
  static constexpr std::array<std::string_view, 3> collab{"title", "mode",
                                                          "status"};
  static constexpr std::array<std::string_view, 3> participant{"role_id",
                                                               "kind",
                                                               "display_name"};
  static constexpr std::array<std::string_view, 4> extension{
    "name", "extension_type", "version", "status"};
  static constexpr std::array<std::string_view, 2> core{"protocol_version",
                                                        "status"};
  static constexpr std::array<std::string_view, 3> entry{"version", "status",
                                                         "required"};
  static constexpr std::array<std::string_view, 3> network{"name",
                                                           "topology_type",
                                                           "status"};
  static constexpr std::array<std::string_view, 4> network_node{"name", "kind",
                                                                "role_id",
                                                                "status"};
  static constexpr std::array<std::string_view, 3> resource{"resource_type",
                                                            "resource_id",
                                                            "version"};
  static constexpr std::array<texts, words_of<kind>.size()> by_kind{
    titled,    role, titled, step,    status,       decision,
    status,    {},   status, {},      collab,       participant,
    extension, core, entry,  network, network_node, resource};
  return by_kind[static_cast<std::size_t>(of)];
}

/// The nearest id or name of the first 1,000 Roles, for an error message.
std::string suggest_role(const project_graph& in, std::string_view role) {
  constexpr std::size_t words_max = 2'000;
  std::vector<std::string_view> words;
  for (auto at = in.nodes().lower_bound({kind::role, {}});
       at != in.nodes().end() && at->first.kind == kind::role
       && words.size() < words_max;
       ++at) {
    words.push_back(at->first.id);
    words.push_back(text_of(at->second, "name"));
  }
  return suggest(role, words);
}

/// With the pointer of the member that refers to what is not there.
result<void> placed(result<void> done, std::string pointer) {
  if (done)
    return done;
  auto what = std::move(done).error();
  what.pointer = std::move(pointer);
  return fail(std::move(what));
}

result<std::string> id_of(const json::object& from, std::string_view member,
                          std::string pointer) {
  const auto id = text_of(from, member);
  if (id.empty())
    return fail({.code = errc::invalid_document,
                 .message = '"' + std::string{member} + "\" is missing",
                 .pointer = std::move(pointer),
                 .rule = "required"});
  return std::string{id};
}

result<void> refer(project_graph& to, graph_edge_kind how,
                   const graph_key& from, kind what,
                   const json::object& document, std::string_view member,
                   const std::string& pointer) {
  const auto id = text_of(document, member);
  if (id.empty())
    return {};
  return placed(to.connect({how, from, {what, std::string{id}}}),
                pointer + '/' + std::string{member});
}

result<void> connect_part(project_graph& to, const graph_key& part,
                          const json::object& document,
                          const std::string& pointer, role_words roles) {
  using enum graph_edge_kind;
  const auto assign = [&](std::string_view member) {
    return placed(connect_role(to, assigned_to, part, text_of(document, member),
                               roles),
                  pointer + '/' + std::string{member});
  };
  if (part.kind == kind::step)
    return assign("agent_role");
  if (part.kind == kind::participant || part.kind == kind::network_node)
    return assign("role_id");
  if (part.kind == kind::decision)
    return placed(connect_decider(to, part, document, roles),
                  pointer + "/decided_by_role");
  return {};
}

/// Once all steps are there.
result<void> connect_steps(project_graph& to, const graph_key& plan,
                           const json::array& steps) {
  std::vector<graph_edge> all;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const auto* step = steps[i].if_object();
    if (step == nullptr)
      continue;
    const graph_key from{kind::step,
                         part_id(plan.id, text_of(*step, "step_id"))};
    for (const auto name : texts_of(*step, "dependencies")) {
      all.push_back({graph_edge_kind::depends_on,
                     from,
                     {kind::step, part_id(plan.id, name)}});
      if (auto ok = to.check_edge(all.back()); !ok)
        return placed(std::move(ok),
                      "/steps/" + std::to_string(i) + "/dependencies");
    }
  }
  return to.connect_all(all);
}

/// A segment is contained in its Trace, or in the segment above it.
result<void> connect_segments(project_graph& to, const graph_key& trace,
                              const json::array& segments) {
  for (std::size_t i = 0; i < segments.size(); ++i) {
    const auto* one = segments[i].if_object();
    const auto above = one == nullptr ? std::string_view{}
                                      : text_of(*one, "parent_segment_id");
    if (above.empty())
      continue;
    const graph_key part{kind::segment,
                         part_id(trace.id, text_of(*one, "segment_id"))};
    if (auto done = to.connect({graph_edge_kind::contains,
                                {kind::segment, part_id(trace.id, above)},
                                part});
        !done)
      return placed(std::move(done),
                    "/segments/" + std::to_string(i) + "/parent_segment_id");
    to.disconnect({graph_edge_kind::contains, trace, part});
  }
  return {};
}

result<void> add_parts(project_graph& to, const document_row& row,
                       const graph_key& owner, const json::object& document,
                       role_words roles) {
  if (row.parts.list.empty())
    return {};
  const auto* const found = document.if_contains(row.parts.list);
  const auto* const list = found == nullptr ? nullptr : found->if_array();
  if (list == nullptr)
    return {};
  const auto most = row.parts.is == kind::message
                      ? std::min(list->size(), graph_messages_max)
                      : list->size();
  for (std::size_t i = 0; i < most; ++i) {
    const auto* const one = (*list)[i].if_object();
    if (one == nullptr)
      continue;
    const auto pointer = '/' + std::string{row.parts.list} + '/'
                         + std::to_string(i);
    auto id = row.parts.id.empty() ? result<std::string>{std::to_string(i)}
                                   : id_of(*one, row.parts.id, pointer);
    if (!id)
      return fail(std::move(id).error());
    const graph_key part{row.parts.is, part_id(owner.id, *id)};
    if (auto done = to.add(part, node_members(part.kind, *one)); !done)
      return placed(std::move(done), pointer);
    if (auto done = to.connect({graph_edge_kind::contains, owner, part}); !done)
      return placed(std::move(done), pointer);
    if (auto done = connect_part(to, part, *one, pointer, roles); !done)
      return done;
  }
  if (row.parts.is == kind::step)
    return connect_steps(to, owner, *list);
  if (row.parts.is == kind::segment)
    return connect_segments(to, owner, *list);
  return {};
}

/// The object that a Confirm is about; `other` may be any.
std::optional<graph_key> target_of(const project_graph& in,
                                   const json::object& confirm) {
  const auto id = std::string{text_of(confirm, "target_id")};
  for (const auto& row : rows)
    if (to_word(row.is) == text_of(confirm, "target_type")
        || text_of(confirm, "target_type") == "other")
      if (graph_key key{row.is, id}; in.find(key) != nullptr)
        return key;
  return std::nullopt;
}

result<void> connect_object(project_graph& to, const document_row& row,
                            const graph_key& key,
                            const json::object& document) {
  using enum graph_edge_kind;
  if (row.which != module::context)
    if (auto done = refer(to, has_context, key, kind::context, document,
                          "context_id", "");
        !done)
      return done;
  if (row.which == module::trace)
    return refer(to, traces, key, kind::plan, document, "plan_id", "");
  if (row.which != module::confirm)
    return {};
  const auto target = target_of(to, document);
  if (!target)
    return fail({.code = errc::invalid_document,
                 .message = "what the Confirm is about is not in the graph",
                 .pointer = "/target_id",
                 .rule = "node_missing",
                 .value = shorten(text_of(document, "target_id"))});
  return to.connect({confirms, key, *target});
}

} // namespace

graph_node_kind object_kind(module which) noexcept {
  return row_of(which).is;
}

std::optional<graph_node_kind> part_kind(module which) noexcept {
  const auto& parts = row_of(which).parts;
  return parts.list.empty() ? std::nullopt : std::optional{parts.is};
}

std::vector<document_part> parts_of(module which,
                                    const json::object& document) {
  const auto& row = row_of(which);
  const auto owner = text_of(document, row.id);
  const auto* const found
    = row.parts.list.empty() ? nullptr : document.if_contains(row.parts.list);
  std::vector<document_part> all;
  if (found == nullptr || !found->is_array())
    return all;
  const auto& list = found->get_array();
  for (std::size_t i = 0; i < list.size(); ++i) {
    const auto* const one = list[i].if_object();
    if (one == nullptr)
      continue;
    const auto id = row.parts.id.empty()
                      ? std::to_string(i)
                      : std::string{text_of(*one, row.parts.id)};
    if (!id.empty())
      all.push_back({{row.parts.is, part_id(owner, id)}, one});
  }
  return all;
}

json::object node_members(graph_node_kind of, const json::object& from) {
  json::object made;
  for (const auto name : kept_members(of))
    if (const auto* found = from.if_contains(name))
      made.emplace(name, *found);
  return made;
}

std::optional<graph_key> find_role(const project_graph& in,
                                   std::string_view name) {
  if (graph_key key{kind::role, std::string{name}}; in.find(key) != nullptr)
    return key;
  const auto* const found = in.role_named(name);
  return found == nullptr ? std::nullopt : std::optional{*found};
}

result<void> connect_role(project_graph& in, graph_edge_kind how,
                          const graph_key& from, std::string_view role,
                          role_words roles) {
  const auto first = in.nodes().lower_bound({kind::role, {}});
  const bool has_roles = first != in.nodes().end()
                         && first->first.kind == kind::role;
  if (role.empty() || !has_roles)
    return {};
  const auto found = find_role(in, role);
  if (!found && roles == role_words::any)
    return {};
  if (!found)
    return fail({.code = errc::invalid_document,
                 .message = "names a Role that is not in the graph"
                            + suggest_role(in, role),
                 .rule = "node_missing",
                 .value = shorten(role)});
  return in.connect({how, from, *found});
}

result<void> connect_decider(project_graph& in, const graph_key& decision,
                             const json::object& document, role_words roles) {
  const auto role = text_of(document, "decided_by_role");
  if (role == "convene")
    return {};
  return connect_role(in, graph_edge_kind::decided_by, decision, role, roles);
}

int graph_order(module which) noexcept {
  const auto found = std::ranges::find(rows, which, &document_row::which);
  return static_cast<int>(found - rows.begin());
}

result<void> add_document(project_graph& to, module which,
                          const json::object& document, role_words roles) {
  const auto& row = row_of(which);
  const auto id = id_of(document, row.id, "");
  if (!id)
    return fail(id.error());
  const graph_key key{row.is, *id};
  if (auto done = to.add(key, node_members(row.is, document)); !done)
    return done;
  if (auto done = connect_object(to, row, key, document); !done)
    return done;
  return add_parts(to, row, key, document, roles);
}

} // namespace convene::protocol
