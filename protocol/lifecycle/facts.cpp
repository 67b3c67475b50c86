#include <convene/protocol/documents/document_codec.hpp>
#include <convene/protocol/documents/orchestrator.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/protocol/lifecycle/facts.hpp>
#include <convene/protocol/lifecycle/rounds.hpp>
#include <convene/protocol/lifecycle/tables.hpp>

#include <algorithm>
#include <functional>
#include <set>

namespace convene::protocol {
namespace {

using enum precondition;

std::string_view status_of(const json::object& object) {
  return text_of(object, "status");
}

void add_if(precondition_set& all, precondition one, bool holds) {
  if (holds)
    all.add(one);
}

bool is_in_active_context(const json::object& document,
                          const object_lookup& known) {
  const auto* context = find_object(known, module::context,
                                    text_of(document, "context_id"));
  return context != nullptr && status_of(*context) == "active";
}

template <class Is>
bool all_are(const std::vector<const json::object*>& objects, Is is) {
  return std::ranges::all_of(objects, [&](const auto* one) {
    return is(status_of(*one));
  });
}

bool is_done(std::string_view step) {
  return step == "completed" || step == "skipped";
}

bool has_failed(std::string_view step) {
  return step == "failed" || step == "blocked";
}

bool is_valid_plan(const json::object& document) {
  const auto read = decode<plan>(json::value(document));
  return read && check_plan(*read);
}

bool orchestrates(const json::object& participant, const object_lookup& known) {
  const auto role_id = text_of(participant, "role_id");
  if (looks_like_orchestrator(text_of(participant, "participant_id"))
      || looks_like_orchestrator(role_id))
    return true;
  const auto* role = find_object(known, module::role, role_id);
  return role != nullptr
         && (is_orchestrator_role(text_of(*role, "name"))
             || std::ranges::any_of(texts_of(*role, "capabilities"),
                                    lets_orchestrate));
}

/// What the MAP profile asks of a session before it starts
/// (MPLP profiles 5.2, 5.3).
bool is_complete_session(const json::object& collab,
                         const object_lookup& known) {
  const auto participants = objects_of(collab, "participants");
  std::set<std::string_view> ids;
  std::size_t acting = 0;
  bool led = false;
  for (const auto* one : participants) {
    const auto id = text_of(*one, "participant_id");
    if (id.empty() || text_of(*one, "role_id").empty()
        || !ids.insert(id).second)
      return false;
    if (text_of(*one, "kind") == "system")
      continue;
    ++acting;
    led |= orchestrates(*one, known);
  }
  const auto mode = text_of(collab, "mode");
  return acting > 0 && (mode != "pair" || acting == 2)
         && (mode != "orchestrated" || led);
}

bool is_decided(const json::object& confirm, const lifecycle_policy& policy) {
  std::vector<decision_status> all;
  for (const auto* one : objects_of(confirm, "decisions"))
    if (const auto status = from_word<decision_status>(status_of(*one)))
      all.push_back(*status);
  const auto settled = settled_status(all, policy);
  return settled != confirm_status::pending
         && (status_of(confirm) == to_word(settled)
             || (status_of(confirm) == "override"
                 && settled == confirm_status::approved));
}

} // namespace

bool is_approval(const json::object& confirm) {
  const auto status = status_of(confirm);
  return status == "approved" || status == "override";
}

bool is_confirmed(const object_lookup& known, std::string_view target_id) {
  const auto* found = known.confirm_about ? known.confirm_about(target_id)
                                          : nullptr;
  return found != nullptr && text_of(*found, "target_id") == target_id
         && is_approval(*found);
}

std::vector<const json::object*> objects_of(const json::object& from,
                                            std::string_view member) {
  std::vector<const json::object*> all;
  const auto* found = from.if_contains(member);
  if (found != nullptr && found->is_array())
    for (const auto& one : found->get_array())
      if (one.is_object())
        all.push_back(&one.get_object());
  return all;
}

precondition_set facts_of(const lifecycle& of, const json::object& document,
                          const object_lookup& known,
                          const lifecycle_policy& policy) {
  precondition_set all;
  const auto id = text_of(document, of.id_member);
  switch (of.owner) {
    case module::plan: {
      const auto steps = objects_of(document, "steps");
      add_if(all, has_steps, !steps.empty());
      add_if(all, plan_valid, is_valid_plan(document));
      add_if(all, context_active, is_in_active_context(document, known));
      add_if(all, confirm_approved, is_confirmed(known, id));
      add_if(all, steps_done, all_are(steps, is_done));
      add_if(all, step_failed, !all_are(steps, std::not_fn(has_failed)));
      break;
    }
    case module::confirm:
      add_if(all, decided, is_decided(document, policy));
      break;
    case module::trace:
      add_if(all, segments_done,
             all_are(objects_of(document, "segments"), [](auto status) {
               return status != "pending" && status != "running";
             }));
      break;
    case module::collab:
      add_if(all, context_active, is_in_active_context(document, known));
      add_if(all, session_complete, is_complete_session(document, known));
      break;
    case module::extension: {
      // Only those that can act need a Confirm (MPLP lifecycles 9).
      const auto type = text_of(document, "extension_type");
      add_if(all, confirm_approved,
             (type != "capability" && type != "integration")
               || is_confirmed(known, id));
      break;
    }
    case module::network:
      add_if(all, nodes_active,
             all_are(objects_of(document, "nodes"), [](auto status) {
               return status == "active" || status == "retired";
             }));
      break;
    case module::context:
    case module::role:
    case module::dialog:
    case module::core:
      break;
  }
  return all;
}

part_facts::part_facts(const lifecycle& part, const json::object& owner,
                       const object_lookup& known)
  : part_(part) {
  if (part.name != tables::step.name)
    return;
  add_if(shared_, plan_in_progress, status_of(owner) == "in_progress");
  add_if(shared_, context_active, is_in_active_context(owner, known));
  for (const auto* step : objects_of(owner, "steps"))
    statuses_.emplace(text_of(*step, "step_id"), status_of(*step));
}

precondition_set part_facts::of(const json::object& part) const {
  if (part_.name == tables::step.name)
    return of_step(part);
  auto all = shared_;
  const auto* required = part.if_contains("required");
  add_if(all, module_optional,
         required == nullptr || !required->is_bool() || !required->get_bool());
  return all;
}

precondition_set part_facts::of_step(const json::object& step) const {
  auto all = shared_;
  const auto needed = texts_of(step, "dependencies");
  const auto is = [this](auto wanted) {
    return [this, wanted](std::string_view id) {
      const auto found = statuses_.find(id);
      return found != statuses_.end() && wanted(found->second);
    };
  };
  add_if(all, dependencies_done,
         std::ranges::all_of(needed, is([](auto status) {
                               return status == "completed";
                             })));
  const bool failed = std::ranges::any_of(needed, is(has_failed));
  add_if(all, dependency_failed, failed);
  add_if(all, dependencies_recovered, !failed);
  return all;
}

} // namespace convene::protocol
