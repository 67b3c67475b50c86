// The resources of a workspace: who wrote them, and who claims them.
#include <convene/protocol/graph/document_nodes.hpp>
#include <convene/protocol/graph/graph_fold.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/protocol/json/parts.hpp>

#include <utility>

namespace convene::protocol {
namespace {

using kind = graph_node_kind;

/// A resource that is claimed before anybody wrote it.
constexpr std::int64_t unwritten = 0;

json::object resource_members(const json::object& from, std::int64_t version) {
  return {{"resource_type", text_of(from, "resource_type")},
          {"resource_id", text_of(from, "resource_id")},
          {"version", version}};
}

result<void> add_resource(project_graph& to, const graph_key& collab,
                          const json::object& from, std::int64_t version) {
  const auto key = resource_key(collab.id, from);
  return to.add(key, resource_members(from, version)).and_then([&] {
    return to.connect({graph_edge_kind::contains, collab, key});
  });
}

bool is_unwritten(const project_graph& in, const graph_key& resource) {
  const auto* found = in.find(resource);
  return found != nullptr && integer_of(*found, "version") == unwritten;
}

} // namespace

graph_key resource_key(std::string_view collab_id, const json::object& from) {
  return {kind::resource,
          part_id(part_id(collab_id, text_of(from, "resource_type")),
                  text_of(from, "resource_id"))};
}

result<void> add_workspace(project_graph& to, std::string_view collab_id,
                           const json::array& resources) {
  const graph_key collab{kind::collab, std::string{collab_id}};
  for (const auto& each : resources)
    if (const auto* one = each.if_object();
        one != nullptr && !one->contains("deleted"))
      if (auto done = add_resource(to, collab, *one,
                                   integer_of(*one, "version").value_or(1));
          !done)
        return done;
  return {};
}

result<void> graph_fold::write(session& of, const json::object& payload) {
  const auto key = resource_key(of.collab.id, payload);
  if (text_of(payload, "op") == "delete")
    return remove_resource(key);
  const auto version = integer_of(payload, "version").value_or(1);
  auto done = to_.find(key) == nullptr
                ? add_resource(to_, of.collab, payload, version)
                : to_.update(key, {{"version", version}});
  if (done && text_of(payload, "resource_type") == "plan_step")
    done = to_.update(
      {kind::step, part_id(of.plan, text_of(payload, "resource_id"))},
      {{"description", text_of(object_of(payload, "value"), "description")}});
  auto step = std::string{text_of(payload, "step_id")};
  if (!of.has_sums)
    if (const auto found
        = of.step_of_turn.find(integer_of(payload, "turn_number").value_or(-1));
        found != of.step_of_turn.end())
      step = found->second;
  if (!done || step.empty())
    return done;
  return to_.connect(
    {graph_edge_kind::produces, {kind::step, part_id(of.plan, step)}, key});
}

/// What is claimed stays, but nobody has produced it any more.
result<void> graph_fold::remove_resource(const graph_key& key) {
  if (to_.find(key) == nullptr)
    return {};
  if (to_.sources(graph_edge_kind::claims, key).empty())
    return to_.remove(key);
  for (auto& step : to_.sources(graph_edge_kind::produces, key))
    to_.disconnect({graph_edge_kind::produces, std::move(step), key});
  return to_.update(key, {{"version", unwritten}});
}

result<void> graph_fold::claim(session& of, const json::object& payload) {
  const auto key = resource_key(of.collab.id, payload);
  if (to_.find(key) == nullptr)
    if (auto done = add_resource(to_, of.collab, payload, unwritten); !done)
      return done;
  for (auto& holder : to_.sources(graph_edge_kind::claims, key))
    to_.disconnect({graph_edge_kind::claims, std::move(holder), key});
  auto holder = text_of(payload, "to_participant");
  if (holder.empty())
    holder = text_of(payload, "participant_id");
  return to_.connect(
    {graph_edge_kind::claims, participant_key(of.collab, holder), key});
}

result<void> graph_fold::release(session& of, const json::object& payload) {
  const auto key = resource_key(of.collab.id, payload);
  for (auto& holder : to_.sources(graph_edge_kind::claims, key))
    to_.disconnect({graph_edge_kind::claims, std::move(holder), key});
  return is_unwritten(to_, key) ? to_.remove(key) : result<void>{};
}

} // namespace convene::protocol
