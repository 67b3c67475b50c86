#pragma once

#include <catch2/catch.hpp>
#include <convene/lab/simulation/check_seed.hpp>
#include <convene/lab/simulation/run_seed.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/runtime/data/scenario/scenario.hpp>

#include <atomic>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace convene::tests {

using host::seed_log;

/// Two in turns, one of whom writes.
inline const std::string writers = R"({
  "collab": {"mode": "round_robin", "participants": [
    {"participant_id": "ann", "role_id": "role-a"},
    {"participant_id": "bob", "role_id": "role-b"}]},
  "behaviours": {
    "ann": {"type": "script", "repeat": true, "turns": [{"content": "mine",
      "writes": [{"resource_type": "file", "resource_id": "a",
                  "base_version": 0, "value": "by ann"}]}]},
    "bob": {"type": "simulated", "latency_ms": {"uniform": {"min": 1, "max": 900}}}},
  "session": {"rounds": 3}, "task": "write"})";

inline result<host::seeded_scenario> scenario_of(std::uint64_t seed) {
  protocol::uuid_source ids{~seed};
  return host::load_scenario(protocol::parse_json(writers)->as_object(),
                             {.ids = ids, .seed = seed})
    .map([](session::spec&& made) {
      return host::seeded_scenario{std::move(made), {}};
    });
}

/// One seed's log, and how its session ended.
struct one_run {
  seed_log log;
  result<session_result> ended;

  one_run() : ended(run(log)) {
    REQUIRE(ended);
  }

  static result<session_result> run(seed_log& log) {
    const std::atomic<bool> stop = false;
    const auto scenario = scenario_of(1);
    REQUIRE(scenario);
    return host::run_seed(scenario->spec, 1, 1 << 20, stop, log);
  }

  /// The rules that the log breaks once `from` is `to`.
  [[nodiscard]] std::vector<std::string> rules_with(std::string_view from,
                                                    std::string_view to) {
    auto changed = log;
    const auto at = changed.text.find(from);
    REQUIRE(at != std::string::npos);
    changed.text.replace(at, from.size(), to);
    host::seed_findings found;
    host::check_seed(changed, *ended, found, [](auto&&...) {});
    CHECK(found.total >= found.first.size());
    std::vector<std::string> rules;
    for (const auto& one : found.first)
      rules.push_back(one.rule);
    return rules;
  }
};

} // namespace convene::tests
