#include <convene/protocol/base/utf8.hpp>
#include <convene/protocol/documents/collab.hpp>
#include <convene/protocol/documents/confirm.hpp>
#include <convene/protocol/documents/context.hpp>
#include <convene/protocol/documents/core.hpp>
#include <convene/protocol/documents/extension.hpp>
#include <convene/protocol/documents/network.hpp>
#include <convene/protocol/documents/plan.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/parts.hpp>
#include <convene/runtime/data/scenario/fill.hpp>

#include <string>
#include <string_view>
#include <utility>

namespace convene::host {
namespace {

using namespace convene::protocol;

/// The non-empty text of a member, else nothing.
std::string_view text_of(const json::object& from, std::string_view name) {
  const auto* member = from.if_contains(name);
  if (member == nullptr || !member->is_string())
    return {};
  const auto& text = member->get_string();
  return {text.data(), text.size()};
}

void add(json::object& to, std::string_view name, std::string_view text) {
  if (to.contains(name))
    return;
  // A copy first: the text may stand in the object that now grows.
  json::string copy(text.data(), text.size());
  to.emplace(name, std::move(copy));
}

void add_id(json::object& to, std::string_view name, uuid_source& ids) {
  if (!to.contains(name))
    add(to, name, to_string(ids.next()));
}

void add_meta(json::object& to) {
  if (!to.contains("meta"))
    to.emplace("meta", json::object{});
  if (auto* meta = object_in(to, "meta")) {
    add(*meta, "protocol_version", "1.0.0");
    add(*meta, "schema_version", "1.0.0");
  }
}

/// A title out of a text: its first line that is not empty, of a length that
/// fits in a list.
std::string_view headline(std::string_view text) {
  constexpr std::size_t bytes_max = 120;
  constexpr std::string_view line_ends = "\r\n";
  if (const auto begin = text.find_first_not_of(line_ends); begin != text.npos)
    text = text.substr(begin, text.find_first_of(line_ends, begin) - begin);
  return cut_utf8(text, bytes_max);
}

result<void> agree_on_context(json::object& scenario, uuid_source& ids) {
  std::string agreed;
  std::string_view first;
  for (std::string_view name : {"context", "collab", "plan"}) {
    const auto* document = object_in(scenario, name);
    if (document == nullptr)
      continue;
    const auto id = text_of(*document, "context_id");
    if (id.empty())
      continue;
    if (first.empty()) {
      first = name;
      agreed = id;
    } else if (id != agreed) {
      return fail({.code = errc::invalid_document,
                   .message = "names another context than the "
                              + std::string{first} + ", which has " + agreed,
                   .pointer = '/' + std::string{name} + "/context_id",
                   .rule = "same_context",
                   .value = std::string{id}});
    }
  }
  if (agreed.empty())
    agreed = to_string(ids.next());
  for (std::string_view name : {"context", "collab", "plan"})
    if (auto* document = object_in(scenario, name))
      add(*document, "context_id", agreed);
  return {};
}

/// One of another type would pass for none.
result<void> check_task(const json::object& scenario) {
  const auto* task = scenario.if_contains("task");
  if (task == nullptr || task->is_string())
    return {};
  return fail({.code = errc::invalid_document,
               .message = "write a string here",
               .pointer = "/task",
               .rule = "type",
               .value = shorten_value(*task)});
}

result<void> fill_collab(json::object& collab, std::string_view task,
                         uuid_source& ids, std::string_view now) {
  add_meta(collab);
  add_id(collab, "collab_id", ids);
  if (!collab.contains("purpose")) {
    if (task.empty())
      return fail({.code = errc::invalid_document,
                   .message = "is missing, and there is no task to take it "
                              "from; give one of the two",
                   .pointer = "/collab/purpose",
                   .rule = "required"});
    add(collab, "purpose", task);
  }
  add(collab, "title",
      headline(task.empty() ? text_of(collab, "purpose") : task));
  add(collab, "status", to_word(collab_status::draft));
  add(collab, "created_at", now);
  if (auto* participants = array_in(collab, "participants"))
    for (auto& participant : *participants)
      if (auto* object = participant.if_object())
        add(*object, "kind", to_word(participant_kind::agent));
  return {};
}

void fill_context(json::object& context, const json::object& collab) {
  add_meta(context);
  add(context, "title", text_of(collab, "title"));
  add(context, "status", to_word(context_status::active));
  if (!context.contains("root"))
    context.emplace("root", json::object{});
  if (auto* root = object_in(context, "root")) {
    add(*root, "domain", "convene");
    add(*root, "environment", "local");
  }
}

void fill_plan(json::object& plan, const json::object& collab,
               uuid_source& ids) {
  add_meta(plan);
  add_id(plan, "plan_id", ids);
  add(plan, "title", text_of(collab, "title"));
  add(plan, "objective", text_of(collab, "purpose"));
  add(plan, "status", to_word(plan_status::draft));
  auto* steps = array_in(plan, "steps");
  if (steps == nullptr)
    return;
  for (auto& item : *steps) {
    if (auto* step = item.if_object()) {
      add_id(*step, "step_id", ids);
      add(*step, "status", to_word(step_status::pending));
    }
  }
}

void fill_confirm(json::object& confirm, confirm_target kind,
                  std::string_view target, uuid_source& ids,
                  std::string_view now) {
  add_meta(confirm);
  add_id(confirm, "confirm_id", ids);
  add(confirm, "target_type", to_word(kind));
  if (!target.empty())
    add(confirm, "target_id", target);
  add(confirm, "status", to_word(confirm_status::pending));
  add(confirm, "requested_at", now);
}

/// Calls `f` with each object of a list.
template <class F>
void each_object(json::object& scenario, std::string_view list, F f) {
  if (auto* all = array_in(scenario, list))
    for (auto& item : *all)
      if (auto* object = item.if_object())
        f(*object);
}

void fill_extensions(json::object& scenario, std::string_view context_id,
                     uuid_source& ids, std::string_view now) {
  std::string only;
  std::size_t count = 0;
  each_object(scenario, "extensions", [&](json::object& extension) {
    add_meta(extension);
    add_id(extension, "extension_id", ids);
    add(extension, "context_id", context_id);
    add(extension, "extension_type", to_word(extension_type::other));
    add(extension, "version", "1.0.0");
    add(extension, "status", to_word(extension_status::registered));
    only = ++count == 1 ? text_of(extension, "extension_id")
                        : std::string_view{};
  });
  each_object(scenario, "extension_confirms", [&](json::object& confirm) {
    fill_confirm(confirm, confirm_target::extension, only, ids, now);
  });
}

void fill_core(json::object& core, uuid_source& ids) {
  add_meta(core);
  add_id(core, "core_id", ids);
  add(core, "protocol_version", "1.0.0");
  add(core, "status", to_word(core_status::active));
  each_object(core, "modules", [](json::object& entry) {
    add(entry, "version", "1.0.0");
    add(entry, "status", to_word(module_status::enabled));
  });
}

void fill_network(json::object& network, std::string_view context_id,
                  uuid_source& ids) {
  add_meta(network);
  add_id(network, "network_id", ids);
  add(network, "context_id", context_id);
  add(network, "topology_type", to_word(topology_type::single_node));
  add(network, "status", to_word(network_status::active));
  each_object(network, "nodes", [&](json::object& node) {
    add_id(node, "node_id", ids);
    add(node, "kind", to_word(node_kind::agent));
    add(node, "status", to_word(node_status::active));
  });
}

result<void> no_collab(const json::object& scenario) {
  error why{.code = errc::invalid_document,
            .message = "is missing, and without a Collab there is nothing to "
                       "run: embed one, or name its file",
            .pointer = "/collab",
            .rule = "required"};
  if (const auto* wrong = scenario.if_contains("collab")) {
    why.message = "must be a Collab, or the name of its file";
    why.rule = "type";
    why.value = shorten_value(*wrong);
  }
  return fail(std::move(why));
}

} // namespace

result<void> fill(json::object& scenario, uuid_source& ids, timestamp_ms now) {
  const auto time = format_timestamp(now);
  if (!scenario.contains("convene"))
    add(scenario, "convene", "1");
  if (!scenario.contains("context"))
    scenario.emplace("context", json::object{{"created_at", time}});
  if (auto agreed = agree_on_context(scenario, ids); !agreed)
    return agreed;
  auto* collab = object_in(scenario, "collab");
  if (collab == nullptr)
    return no_collab(scenario);
  if (auto known = check_task(scenario); !known)
    return known;
  const auto task = text_of(scenario, "task");
  if (auto filled = fill_collab(*collab, task, ids, time); !filled)
    return filled;
  if (auto* context = object_in(scenario, "context"))
    fill_context(*context, *collab);
  auto* plan = object_in(scenario, "plan");
  if (plan != nullptr)
    fill_plan(*plan, *collab, ids);
  if (auto* confirm = object_in(scenario, "confirm"))
    fill_confirm(*confirm, confirm_target::plan,
                 plan == nullptr ? "" : text_of(*plan, "plan_id"), ids, time);
  each_object(scenario, "roles", [&](json::object& role) {
    add_meta(role);
    add_id(role, "role_id", ids);
  });
  const std::string context_id{text_of(*collab, "context_id")};
  fill_extensions(scenario, context_id, ids, time);
  if (auto* core = object_in(scenario, "core"))
    fill_core(*core, ids);
  if (auto* network = object_in(scenario, "network"))
    fill_network(*network, context_id, ids);
  add(scenario, "task", text_of(*collab, "purpose"));
  return {};
}

} // namespace convene::host
