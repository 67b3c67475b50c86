#include <convene/protocol/documents/trace_ids.hpp>
#include <convene/protocol/graph/document_nodes.hpp>
#include <convene/protocol/graph/graph_fold.hpp>
#include <convene/protocol/graph/network_statuses.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/protocol/json/parts.hpp>

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

namespace convene::protocol {
namespace {

using kind = graph_node_kind;

graph_key participant_key(const graph_key& collab, std::string_view id) {
  return {kind::participant, part_id(collab.id, id)};
}

result<void> add_each(project_graph& to, module which,
                      const json::array& documents) {
  for (const auto& each : documents)
    if (const auto* document = each.if_object())
      if (auto done = add_document(to, which, *document, role_words::any);
          !done)
        return done;
  return {};
}

} // namespace

graph_fold::reader graph_fold::reader_of(std::string_view type) {
  static constexpr std::array<std::pair<std::string_view, reader>, 19> readers{{
    {"MAPSessionCompleted", &graph_fold::end},
    {"workspace_opened", &graph_fold::open_workspace},
    {"session_input", &graph_fold::input},
    {"MAPTurnDispatched", &graph_fold::dispatch},
    {"plan_created", &graph_fold::create_plan},
    {"step_added", &graph_fold::add_step},
    {"confirm_added", &graph_fold::add_confirm},
    {"decision_added", &graph_fold::add_decision},
    {"handoff_added", &graph_fold::add_handoff},
    {"session_recorded", &graph_fold::record},
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
       .has_sums = integer_of(payload, "rules").value_or(1) >= rules_with_sums};
  const auto& confirm = object_of(spec, "confirm");
  return add_document(to_, module::context, object_of(spec, "context"),
                      role_words::any)
    .and_then(
      [&] { return add_each(to_, module::role, items_of(spec, "roles")); })
    .and_then([&] {
      return add_document(to_, module::collab, collab, role_words::any);
    })
    .and_then([&]() -> result<void> {
      return plan.empty()
               ? result<void>{}
               : add_document(to_, module::plan, plan, role_words::any);
    })
    .and_then([&] { return add_modules(sessions_.at(id), spec); })
    .and_then([&]() -> result<void> {
      auto& of = sessions_.at(id);
      of.resources = items_of(spec, "workspace");
      if (!of.has_sums)
        return open_workspace(of, payload);
      return confirm.empty() ? result<void>{} : add_given(of, confirm);
    });
}

/// Extensions with their Confirms, Core and Network.
result<void> graph_fold::add_modules(session& of, const json::object& spec) {
  for (const auto& each : items_of(spec, "extensions")) {
    auto extension = each.is_object() ? each.get_object() : json::object{};
    if (text_of(extension, "status") == "registered")
      extension["status"] = "active"; // the session's start activates it
    if (auto done = add_document(to_, module::extension, extension,
                                 role_words::any);
        !done)
      return done;
  }
  for (const auto& each : items_of(spec, "extension_confirms"))
    if (const auto* confirm = each.if_object())
      if (auto done = add_given(of, *confirm); !done)
        return done;
  if (const auto& core = object_of(spec, "core"); !core.empty())
    if (auto done = add_document(to_, module::core, core, role_words::any);
        !done)
      return done;
  of.roster = object_of(spec, "collab");
  of.network = object_of(spec, "network");
  if (of.network.empty())
    return {};
  return add_document(to_, module::network,
                      with_statuses(of.network, of.roster, of.lost),
                      role_words::any);
}

/// As those who are lost leave it.
result<void> graph_fold::change_network(const session& of) {
  if (of.network.empty())
    return {};
  const auto now = with_statuses(of.network, of.roster, of.lost);
  const auto set = [&](const graph_key& key, const json::object& from) {
    return to_.update(key, {{"status", text_of(from, "status")}});
  };
  if (auto done = set({kind::network, std::string{text_of(now, "network_id")}},
                      now);
      !done)
    return done;
  for (const auto& [key, node] : parts_of(module::network, now))
    if (auto done = set(key, *node); !done)
      return done;
  return {};
}

result<void> graph_fold::open_workspace(session& of,
                                        const json::object& /*payload*/) {
  return add_workspace(to_, of.collab.id, std::exchange(of.resources, {}));
}

result<void> graph_fold::add_given(session& of, const json::object& confirm) {
  if (auto done = add_confirm(of, {{"confirm", confirm}}); !done)
    return done;
  for (const auto& each : items_of(confirm, "decisions"))
    if (const auto* one = each.if_object())
      if (auto done
          = add_decision(of, {{"confirm_id", text_of(confirm, "confirm_id")},
                              {"decision", *one}});
          !done)
        return done;
  return {};
}

result<void> graph_fold::end(session& of, const json::object& payload) {
  const json::object now{{"status", text_of(payload, "status")}};
  for (const auto& key : {of.collab, of.dialog, of.trace})
    if (!key.id.empty())
      if (auto done = to_.update(key, now); !done)
        return done;
  return {};
}

/// A Dialog is there from the first session_recorded.
result<void> graph_fold::suspend(session& of, bool suspends) {
  of.is_suspended = suspends;
  const auto* now = suspends ? "suspended" : "active";
  if (auto done = to_.update(of.collab, {{"status", now}}); !done)
    return done;
  return of.dialog.id.empty()
           ? result<void>{}
           : to_.update(of.dialog,
                        {{"status", suspends ? "paused" : "active"}});
}

result<void> graph_fold::input(session& of, const json::object& payload) {
  const auto input = text_of(payload, "input");
  if (input == "suspend" || input == "resume")
    return suspend(of, input == "suspend");
  if (input == "participant_down")
    of.lost.emplace(text_of(payload, "participant_id"));
  else if (input == "participant_up")
    of.lost.erase(std::string{text_of(payload, "participant_id")});
  else
    return {};
  return change_network(of);
}

result<void> graph_fold::dispatch(session& of, const json::object& payload) {
  if (of.has_sums)
    return {};
  const auto turn = integer_of(payload, "turn_number");
  if (const auto step = text_of(payload, "step_id"); turn && !step.empty())
    of.step_of_turn[*turn] = step;
  return {};
}

result<void> graph_fold::create_plan(session& of, const json::object& payload) {
  auto plan = object_of(payload, "plan");
  of.plan = text_of(plan, "plan_id");
  plan["status"] = "draft";
  return add_document(to_, module::plan, plan, role_words::any);
}

result<void> graph_fold::add_step(session& of, const json::object& payload) {
  // The plan's other steps are there; add_document takes its own alone.
  const graph_key plan{kind::plan, of.plan};
  const auto* const is = to_.find(plan);
  auto one = is == nullptr ? json::object{} : *is;
  one["plan_id"] = of.plan;
  one["context_id"] = of.context;
  one["steps"] = json::array{object_of(payload, "step")};
  return add_document(to_, module::plan, one, role_words::any);
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

result<void> graph_fold::create_confirm(session& of,
                                        const json::object& payload) {
  if (of.has_sums)
    return change_stage(of, payload);
  const json::object confirm{{"confirm_id", text_of(payload, "resource_id")},
                             {"target_id", of.plan},
                             {"status", text_of(payload, "to_status")}};
  return add_confirm(of, {{"confirm", confirm}});
}

result<void> graph_fold::add_confirm(session& /*of*/,
                                     const json::object& payload) {
  const auto& confirm = object_of(payload, "confirm");
  const graph_key key{kind::confirm,
                      std::string{text_of(confirm, "confirm_id")}};
  const std::string about{text_of(confirm, "target_id")};
  const auto target = text_of(confirm, "target_type") == "extension"
                          && to_.find({kind::extension, about}) != nullptr
                        ? kind::extension
                        : kind::plan;
  return to_.add(key, node_members(kind::confirm, confirm)).and_then([&] {
    return to_.connect({graph_edge_kind::confirms, key, {target, about}});
  });
}

result<void> graph_fold::add_decision(session& /*of*/,
                                      const json::object& payload) {
  const auto& decision = object_of(payload, "decision");
  const graph_key confirm{kind::confirm,
                          std::string{text_of(payload, "confirm_id")}};
  const graph_key key{kind::decision,
                      part_id(confirm.id, text_of(decision, "decision_id"))};
  return to_.add(key, node_members(kind::decision, decision))
    .and_then([&] {
      return to_.connect({graph_edge_kind::contains, confirm, key});
    })
    .and_then(
      [&] { return connect_decider(to_, key, decision, role_words::any); });
}

result<void> graph_fold::hand_off(session& of, const json::object& payload) {
  return of.has_sums ? result<void>{} : add_handoff(of, payload);
}

result<void> graph_fold::add_handoff(session& of, const json::object& payload) {
  return to_.connect(
    {graph_edge_kind::handoff,
     participant_key(of.collab, text_of(payload, "from_participant")),
     participant_key(of.collab, text_of(payload, "to_participant"))});
}

result<void> graph_fold::record(session& of, const json::object& payload) {
  using enum graph_edge_kind;
  const auto messages = integer_of(payload, "messages").value_or(0);
  const auto segments = integer_of(payload, "segments").value_or(0);
  if (std::cmp_greater(messages, graph_messages_max)
      || std::cmp_greater(segments, trace_segments_max))
    return fail(errc::limit_reached,
                "session_recorded has over "
                  + std::to_string(graph_messages_max) + " messages or "
                  + std::to_string(trace_segments_max) + " segments",
                "maximum");
  const graph_key context{kind::context, of.context};
  for (const auto& [key, what, member, status] :
       {std::tuple{&of.dialog, kind::dialog, "dialog_id",
                   of.is_suspended ? "paused" : "active"},
        {&of.trace, kind::trace, "trace_id", "running"}}) {
    if (!key->id.empty())
      continue;
    *key = {what, std::string{text_of(payload, member)}};
    if (auto done = to_.add(*key, {{"status", status}}); !done)
      return done;
    if (auto done = to_.connect({has_context, *key, context}); !done)
      return done;
  }
  if (!of.plan.empty())
    if (auto done = to_.connect({traces, of.trace, {kind::plan, of.plan}});
        !done)
      return done;
  if (of_records_ == parts::counted) {
    const auto more = std::max(messages - of.messages, std::int64_t{0})
                      + std::max(segments - of.segments, std::int64_t{0});
    of.messages = std::max(of.messages, messages);
    of.segments = std::max(of.segments, segments);
    return to_.count_parts(static_cast<std::size_t>(more));
  }
  const auto add_part = [&](const graph_key& owner, const graph_key& part) {
    return to_.add(part, {}).and_then([&] {
      return to_.connect({contains, owner, part});
    });
  };
  for (; of.messages < messages; ++of.messages)
    if (auto done = add_part(
          of.dialog,
          {kind::message, part_id(of.dialog.id, std::to_string(of.messages))});
        !done)
      return done;
  const trace_ids ids{of.collab.id};
  for (; of.segments < segments; ++of.segments)
    if (auto done = add_part(
          of.trace,
          {kind::segment,
           part_id(of.trace.id, to_string(ids.segment(
                                  static_cast<std::size_t>(of.segments))))});
        !done)
      return done;
  return {};
}

} // namespace convene::protocol
