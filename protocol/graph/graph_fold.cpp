#include <convene/protocol/graph/document_nodes.hpp>
#include <convene/protocol/graph/graph_fold.hpp>
#include <convene/protocol/json/members.hpp>

#include <array>
#include <utility>

namespace convene::protocol {
namespace {

using kind = graph_node_kind;

const json::array no_items;

const json::array& list_in(const json::object& from, std::string_view name) {
  const auto* found = from.if_contains(name);
  return found != nullptr && found->is_array() ? found->get_array() : no_items;
}

graph_key participant_key(const graph_key& collab, std::string_view id) {
  return {kind::participant, part_id(collab.id, id)};
}

result<void> add_each(project_graph& to, module which,
                      const json::array& documents) {
  for (const auto& each : documents)
    if (const auto* document = each.if_object())
      if (auto done = add_document(to, which, *document); !done)
        return done;
  return {};
}

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

graph_fold::reader graph_fold::reader_of(std::string_view type) {
  static constexpr std::array<std::pair<std::string_view, reader>, 14> readers{{
    {"MAPSessionCompleted", &graph_fold::end},
    {"session_input", &graph_fold::input},
    {"MAPTurnDispatched", &graph_fold::dispatch},
    {"plan_created", &graph_fold::create_plan},
    {"step_added", &graph_fold::add_step},
    {"plan_status_changed", &graph_fold::change_stage},
    {"step_status_changed", &graph_fold::change_stage},
    {"confirm_created", &graph_fold::create_confirm},
    {"confirm_resolved", &graph_fold::change_stage},
    {"MAPHandoffInitiated", &graph_fold::hand_off},
    {"resource_written", &graph_fold::write},
    {"claim_taken", &graph_fold::claim},
    {"claim_handed_over", &graph_fold::claim},
    {"claim_released", &graph_fold::release},
  }};
  const auto* const found = std::ranges::find(
    readers, type, &std::pair<std::string_view, reader>::first);
  return found == readers.end() ? nullptr : found->second;
}

result<void> graph_fold::feed(const json::object& event) {
  const auto type = text_of(event, "event_type");
  const auto id = text_of(event, "session_id");
  const auto& payload = object_of(event, "payload");
  if (type == "MAPSessionStarted")
    return start(std::string{id}, payload);
  const auto read = reader_of(type);
  const auto found = sessions_.find(id);
  if (read == nullptr || found == sessions_.end())
    return {};
  return (this->*read)(found->second, payload);
}

result<void> graph_fold::start(const std::string& id,
                               const json::object& payload) {
  const auto& spec = object_of(payload, "spec");
  auto collab = object_of(spec, "collab");
  collab["status"] = "active";
  const auto& plan = object_of(spec, "plan");
  sessions_[id]
    = {.collab = {kind::collab, std::string{text_of(collab, "collab_id")}},
       .context = std::string{text_of(collab, "context_id")},
       .plan = std::string{text_of(plan, "plan_id")},
       .step_of_turn = {}};
  return add_document(to_, module::context, object_of(spec, "context"))
    .and_then(
      [&] { return add_each(to_, module::role, list_in(spec, "roles")); })
    .and_then([&] { return add_document(to_, module::collab, collab); })
    .and_then([&]() -> result<void> {
      return plan.empty() ? result<void>{}
                          : add_document(to_, module::plan, plan);
    })
    .and_then([&] {
      return add_workspace(to_, text_of(collab, "collab_id"),
                           list_in(spec, "workspace"));
    });
}

result<void> graph_fold::end(session& of, const json::object& payload) {
  return to_.update(of.collab, {{"status", text_of(payload, "status")}});
}

result<void> graph_fold::input(session& of, const json::object& payload) {
  const auto input = text_of(payload, "input");
  if (input == "suspend")
    return to_.update(of.collab, {{"status", "suspended"}});
  if (input == "resume")
    return to_.update(of.collab, {{"status", "active"}});
  return {};
}

result<void> graph_fold::dispatch(session& of, const json::object& payload) {
  const auto turn = integer_of(payload, "turn_number");
  if (const auto step = text_of(payload, "step_id"); turn && !step.empty())
    of.step_of_turn[*turn] = step;
  return {};
}

result<void> graph_fold::create_plan(session& of, const json::object& payload) {
  auto plan = object_of(payload, "plan");
  of.plan = text_of(plan, "plan_id");
  plan["status"] = "draft";
  return add_document(to_, module::plan, plan);
}

result<void> graph_fold::add_step(session& of, const json::object& payload) {
  // The plan's other steps are there; add_document takes its own alone.
  const graph_key plan{kind::plan, of.plan};
  const auto* const is = to_.find(plan);
  auto one = is == nullptr ? json::object{} : *is;
  one["plan_id"] = of.plan;
  one["context_id"] = of.context;
  one["steps"] = json::array{object_of(payload, "step")};
  return add_document(to_, module::plan, one);
}

result<void> graph_fold::change_stage(session& of,
                                      const json::object& payload) {
  const auto type = text_of(payload, "resource_type");
  const auto id = text_of(payload, "resource_id");
  auto key = graph_key{kind::plan, std::string{id}};
  if (type == "step")
    key = {kind::step, part_id(of.plan, id)};
  else if (type == "confirm")
    key = {kind::confirm, std::string{id}};
  return to_.update(key, {{"status", text_of(payload, "to_status")}});
}

result<void> graph_fold::create_confirm(session& /*of*/,
                                        const json::object& payload) {
  const graph_key key{kind::confirm,
                      std::string{text_of(payload, "resource_id")}};
  return to_.add(key, {{"status", text_of(payload, "to_status")}})
    .and_then([&] {
      return to_.connect(
        {graph_edge_kind::confirms,
         key,
         {kind::plan, std::string{text_of(payload, "target_id")}}});
    });
}

result<void> graph_fold::hand_off(session& of, const json::object& payload) {
  return to_.connect(
    {graph_edge_kind::handoff,
     participant_key(of.collab, text_of(payload, "from_participant")),
     participant_key(of.collab, text_of(payload, "to_participant"))});
}

result<void> graph_fold::write(session& of, const json::object& payload) {
  const auto key = resource_key(of.collab.id, payload);
  if (text_of(payload, "op") == "delete")
    return to_.remove(key);
  const auto version = integer_of(payload, "version").value_or(1);
  auto done = to_.find(key) == nullptr
                ? add_resource(to_, of.collab, payload, version)
                : to_.update(key, {{"version", version}});
  const auto step
    = of.step_of_turn.find(integer_of(payload, "turn_number").value_or(-1));
  if (done && text_of(payload, "resource_type") == "plan_step")
    done = to_.update(
      {kind::step, part_id(of.plan, text_of(payload, "resource_id"))},
      {{"description", text_of(object_of(payload, "value"), "description")}});
  if (!done || step == of.step_of_turn.end())
    return done;
  return to_.connect({graph_edge_kind::produces,
                      {kind::step, part_id(of.plan, step->second)},
                      key});
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
