#include <convene/protocol/documents/document_codec.hpp>
#include <convene/protocol/json/json_text.hpp>

#include <functional>
#include <unordered_map>
#include <unordered_set>

namespace convene::protocol {
namespace {

using positions = std::unordered_map<std::string_view, std::size_t>;

const std::vector<std::string>& dependencies_of(const plan_step& step) {
  static const std::vector<std::string> none;
  return step.dependencies ? *step.dependencies : none;
}

error refusal(std::string_view pointer, std::string rest, std::string rule,
              std::string message, std::string_view value) {
  return {.code = errc::invalid_document,
          .message = std::move(message),
          .pointer = std::string{pointer} + std::move(rest),
          .rule = std::move(rule),
          .value = shorten(value)};
}

/// Refuses, as rule `unique_<member>`, the first item whose `id` an earlier one
/// has.
template <class Items, class Id>
result<void> check_unique(const Items& items, Id id, std::string_view pointer,
                          const std::string& list, const std::string& member) {
  std::unordered_set<std::string_view> seen;
  for (std::size_t i = 0; i < items.size(); ++i)
    if (const std::string_view text = std::invoke(id, items[i]);
        !seen.insert(text).second)
      return fail(refusal(
        pointer, list + std::to_string(i) + '/' + member, "unique_" + member,
        "another one has this " + member + ": give each its own", text));
  return {};
}

/// Removes steps that wait for nothing until none is left to remove; what
/// remains is on a cycle or waits for one. Says how many open dependencies
/// each step has left.
std::vector<std::size_t> open_dependencies(const plan& what,
                                           const positions& at) {
  std::vector<std::size_t> open(what.steps.size());
  std::vector<std::vector<std::size_t>> waiting(what.steps.size());
  std::vector<std::size_t> free;
  for (std::size_t i = 0; i < what.steps.size(); ++i) {
    const auto& needed = dependencies_of(what.steps[i]);
    open[i] = needed.size();
    for (const auto& id : needed)
      waiting[at.at(id)].push_back(i);
    if (needed.empty())
      free.push_back(i);
  }
  while (!free.empty()) {
    const auto done = free.back();
    free.pop_back();
    for (auto i : waiting[done])
      if (--open[i] == 0)
        free.push_back(i);
  }
  return open;
}

/// A step on a cycle, found by walking back from one that never gets free.
std::size_t step_on_cycle(const plan& what, const positions& at,
                          const std::vector<std::size_t>& open,
                          std::size_t step) {
  std::vector<bool> visited(open.size());
  while (!visited[step]) {
    visited[step] = true;
    for (const auto& id : dependencies_of(what.steps[step]))
      if (const auto next = at.at(id); open[next] != 0) {
        step = next;
        break;
      }
  }
  return step;
}

} // namespace

result<void> check_plan(const plan& what, std::string_view pointer) {
  if (what.steps.size() > plan_steps_max) {
    auto refused = refusal(pointer, "/steps", "plan_steps_max",
                           "a plan may have at most "
                             + std::to_string(plan_steps_max)
                             + " steps: split it",
                           std::to_string(what.steps.size()) + " steps");
    refused.code = errc::limit_reached;
    return fail(std::move(refused));
  }
  const auto step_path = [](std::size_t i) {
    return "/steps/" + std::to_string(i);
  };
  positions at;
  for (std::size_t i = 0; i < what.steps.size(); ++i)
    if (const auto& id = what.steps[i].step_id; !at.emplace(id, i).second)
      return fail(refusal(pointer, step_path(i) + "/step_id", "unique_step_id",
                          "another step has this step_id: give each its own",
                          id));
  for (std::size_t i = 0; i < what.steps.size(); ++i) {
    std::size_t number = 0;
    for (const auto& id : dependencies_of(what.steps[i])) {
      if (!at.contains(id))
        return fail(refusal(
          pointer, step_path(i) + "/dependencies/" + std::to_string(number),
          "known_dependency", "no step of the plan has this step_id", id));
      ++number;
    }
  }
  const auto open = open_dependencies(what, at);
  for (std::size_t i = 0; i < open.size(); ++i) {
    if (open[i] == 0)
      continue;
    const auto on_cycle = step_on_cycle(what, at, open, i);
    return fail(refusal(pointer, step_path(on_cycle) + "/dependencies",
                        "no_cycle",
                        "the step waits for itself, by way of its "
                        "dependencies: remove one of them",
                        what.steps[on_cycle].step_id));
  }
  return {};
}

result<void> check_collab(const collab& what, std::string_view pointer) {
  return check_unique(what.participants, &participant::participant_id, pointer,
                      "/participants/", "participant_id");
}

result<void> check_core(const core& what, std::string_view pointer) {
  for (std::size_t i = 0; i < what.modules.size(); ++i)
    if (const auto& each = what.modules[i];
        each.required == true && each.status == module_status::disabled)
      return fail(refusal(pointer, "/modules/" + std::to_string(i) + "/status",
                          "required_module_enabled",
                          "a required module may not be disabled: enable it, "
                          "or do not require it",
                          to_word(each.module_id)));
  return check_unique(
    what.modules,
    [](const module_descriptor& each) { return to_word(each.module_id); },
    pointer, "/modules/", "module_id");
}

result<void> check_network(const network& what, std::string_view pointer) {
  if (!what.nodes)
    return {};
  return check_unique(*what.nodes, &network_node::node_id, pointer, "/nodes/",
                      "node_id");
}

} // namespace convene::protocol
