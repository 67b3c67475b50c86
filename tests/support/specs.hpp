#pragma once

#include <convene/session/spec/spec.hpp>

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

// Scenarios for tests: valid, small, and the same on every run.

namespace convene::test {

/// A v4 UUID with `number` in it.
inline std::string id(std::uint64_t number) {
  return to_string(protocol::as_v4({0, number}));
}

/// Agents called by these names, with the role_ids `role-<name>`.
inline session::spec make_spec(protocol::mode mode,
                               const std::vector<std::string>& names) {
  session::spec made;
  made.context.context_id = id(1);
  made.context.root = {{"domain", "test"}, {"environment", "test"}};
  made.context.title = "A context";
  made.context.status = protocol::context_status::active;
  made.collab.collab_id = id(2);
  made.collab.context_id = id(1);
  made.collab.title = "A session";
  made.collab.purpose = "To be tested";
  made.collab.mode = mode;
  made.collab.created_at = "2025-01-01T00:00:00Z";
  for (const auto& name : names)
    made.collab.participants.push_back(
      {.participant_id = name, .role_id = "role-" + name});
  made.task = "the task";
  return made;
}

/// A step as tests write it.
struct step {
  std::string description;
  std::string role;            ///< empty: none
  std::vector<unsigned> after; ///< positions of the steps it waits for
};

/// The id of the step at `position`.
inline std::string step_id(std::size_t position) {
  return id(100 + position);
}

inline protocol::plan make_plan(const std::vector<step>& steps) {
  protocol::plan made{.plan_id = id(3),
                      .context_id = id(1),
                      .title = "A plan",
                      .objective = "Done"};
  for (std::size_t i = 0; i < steps.size(); ++i) {
    protocol::plan_step next{.step_id = step_id(i),
                             .description = steps[i].description};
    if (!steps[i].role.empty())
      next.agent_role = steps[i].role;
    if (!steps[i].after.empty())
      next.dependencies.emplace();
    for (auto position : steps[i].after)
      next.dependencies->push_back(step_id(position));
    made.steps.push_back(std::move(next));
  }
  return made;
}

inline protocol::reply says(std::string content) {
  return {.content = std::move(content)};
}

inline protocol::reply fails(std::string code = "broken") {
  return {.status = protocol::reply_status::failed,
          .error = {std::move(code), "it did not work"}};
}

inline protocol::reply declines() {
  return {.status = protocol::reply_status::declined};
}

inline protocol::reply decides(std::vector<protocol::decision> what) {
  return {.decision = std::move(what)};
}

} // namespace convene::test
