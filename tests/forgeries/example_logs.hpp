#pragma once

#include <cli/program.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <forgeries/edits.hpp>

#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

namespace convene::tests {

/// The events of a scenario's session, run in virtual time.
inline event_log log_of(const std::filesystem::path& scenario) {
  const scratch_folder at;
  const auto out = at / "out";
  const auto done = run({"run", scenario.string(), "--seed", "1", "--out",
                         out.string(), "--quiet"});
  CAPTURE(scenario.string(), done.err);
  REQUIRE(done.code <= 1);
  event_log log;
  std::ifstream lines{out / "events.jsonl"};
  for (std::string line; std::getline(lines, line);)
    if (!line.starts_with("{\"log_"))
      log.push_back(*protocol::parse_json(line));
  REQUIRE_FALSE(log.empty());
  return log;
}

struct example {
  std::string name;
  event_log log;
};

/// The logs of all examples.
inline std::vector<example> run_examples() {
  std::vector<example> all;
  for (const auto& folder :
       std::filesystem::directory_iterator{examples_folder})
    if (const auto scenario = folder.path() / "scenario.json";
        std::filesystem::exists(scenario))
      all.push_back({folder.path().filename().string(), log_of(scenario)});
  std::ranges::sort(all, {}, &example::name);
  return all;
}

} // namespace convene::tests
