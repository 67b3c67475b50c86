// A scenario under 200 seeds, in virtual time: how often it ends well, and how
// many turns fail.
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <convene/lab/simulation/seeded_start.hpp>
#include <convene/lab/simulation/simulation.hpp>
#include <convene/lab/simulation/simulation_summary.hpp>

#include <atomic>
#include <cstdint>
#include <iostream>

constexpr auto text = R"({
  "collab": {"title": "Release notes", "purpose": "See what failures do",
             "mode": "round_robin", "participants": [
    {"participant_id": "writer", "kind": "agent", "role_id": "writer"},
    {"participant_id": "reviewer", "kind": "agent", "role_id": "reviewer"}]},
  "behaviours": {"*": {"type": "simulated", "failure": 0.02,
    "latency_ms": {"lognormal": {"median": 800, "p99": 6000}}}},
  "task": "Write the release notes",
  "session": {"rounds": 5, "turn_timeout_ms": 10000}
})";

int main() {
  using namespace convene;
  const host::scenario_input scenario{
    .given = boost::json::parse(text).as_object()};
  const auto start = host::check_can_start(scenario, 1);
  const auto read = host::read_once(scenario); // once for all seeds
  if (!start || !read) {
    std::cerr << to_string(start ? read.error() : start.error()) << '\n';
    return 2;
  }
  const host::simulation what{
    .last = 200, .threads = 2, .scenario = [&read](std::uint64_t seed) {
      return host::scenario_for_seed(*read, seed, false);
    }};
  const std::atomic<bool> stop = false; // set it to end early
  const auto seeds = host::simulate(what, stop);
  if (!seeds) {
    std::cerr << to_string(seeds.error()) << '\n';
    return 3;
  }
  const boost::json::value all = host::summarise(what, *seeds);
  std::cout << "completed: " << all.at("completed") << ", most failed turns: "
            << all.at_pointer("/measures/failed_turns/max") << '\n';
}
