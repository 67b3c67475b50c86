#pragma once

#include "program.hpp"

#include <string>
#include <vector>

namespace convene::tests {

/// One who answers three times, and is done.
inline const std::string answers = R"({
  "collab": {"mode": "round_robin", "participants": [
    {"participant_id": "ann", "role_id": "role-planner"}]},
  "session": {"rounds": 3}, "task": "go on"})";

/// A scenario's file and the folder that it is run into.
struct run_fixture {
  scratch_folder folder;
  std::string scenario = (folder / "scenario.json").string();
  std::string out = (folder / "out").string();

  explicit run_fixture(const std::string& text) {
    write_bytes(scenario, text);
  }

  [[nodiscard]] finished
  run_with(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> all{"run", scenario, "--quiet", "--out", out};
    all.insert(all.end(), more.begin(), more.end());
    return run(all);
  }
};

} // namespace convene::tests
