// Steps of a single agent's plan, executed by functions, against turns of
// several agents: both whole, in one process, interleaved, medians.
// docs/performance.md has the figures.

#include "baseline/figures.hpp"

#include <boost/json/serialize.hpp>
#include <convene/convene.hpp>
#include <convene/protocol/base/uuid.hpp>
#include <convene/runtime/single_agent/flow.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace convene;
using convene::bench::median;
using convene::bench::ratio;
using convene::bench::seconds;
namespace json = boost::json;

constexpr std::size_t agents = 8;

reply short_answer(const turn_request&) {
  return {.content = "looks good"};
}

runtime_options one_thread() {
  return {.threads = 1};
}

/// Each step waits for up to three that stand before it, whichever.
json::object make_plan(std::size_t steps, bool waits) {
  std::mt19937 random{7}; // NOLINT: the same for every run
  protocol::uuid_source ids{7};
  std::vector<std::string> made;
  json::array all;
  for (std::size_t i = 0; i < steps; ++i) {
    made.push_back(to_string(ids.next()));
    json::object step{{"step_id", made.back()},
                      {"description", "review the change"},
                      {"status", "pending"}};
    json::array before;
    for (std::size_t k = 0; waits && i > 0 && k < 3; ++k) {
      json::value other(made[random() % i]);
      if (std::ranges::find(before, other) == before.end())
        before.push_back(std::move(other));
    }
    if (!before.empty())
      step["dependencies"] = std::move(before);
    all.push_back(std::move(step));
  }
  return {{"title", "bench"}, {"steps", std::move(all)}};
}

void must(bool done, const char* what) {
  if (done)
    return;
  std::fprintf(stderr, "%s did not complete\n", what);
  std::exit(1);
}

/// The whole flow: documents in, and documents, Trace and events out, all of
/// them validated.
double agent_steps(std::size_t steps, bool waits) {
  json::object scenario{
    {"plan", make_plan(steps, waits)},
    {"session", {{"max_turns", static_cast<std::int64_t>(steps + 1)}}}};
  const auto took = seconds([&] {
    const auto done
      = run_single_agent_flow({.scenario = std::move(scenario),
                               .executors = {{"agent", short_answer}},
                               .runtime = one_thread()});
    if (done.error)
      std::fprintf(stderr, "%s\n", to_string(*done.error).c_str());
    else if (!done.success)
      std::fprintf(stderr, "%s\n",
                   json::serialize(done.output->result).c_str());
    must(done.success, "the plan");
  });
  return static_cast<double>(steps) / took;
}

/// A session of the given mode, and of its documents none.
double turns(mode how, std::size_t count) {
  session_setup setup{.title = "bench",
                      .purpose = "measure",
                      .mode = how,
                      .task = "review the change"};
  setup.options.max_turns = 1'000'000'000;
  for (std::size_t i = 0; i < agents; ++i)
    setup.participants.push_back(
      quick_agent("agent-" + std::to_string(i), "role", short_answer));
  if (how == mode::swarm)
    setup.tasks.assign(count, {.title = "review the change"});
  else
    setup.options.rounds = static_cast<std::int64_t>(count / agents);
  const auto took = seconds([&] {
    runtime host{one_thread()};
    const auto done = host.start(setup).await();
    must(done && done->status == collab_status::completed, "the session");
  });
  return static_cast<double>(count) / took;
}

/// For counts of instructions: one run and nothing else.
int run_once(std::size_t steps) {
  std::printf("%.0f steps a second\n", agent_steps(steps, false));
  return 0;
}

} // namespace

int main(int argc, char** argv) {
  const auto steps = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 9'992ULL;
  const bool is_once = argc > 2 && std::string_view{argv[2]} == "once";
  const int rounds = is_once ? 1 : argc > 2 ? std::atoi(argv[2]) : 7;
  if (steps < agents || steps > 10'000 || rounds < 1 || argc > 3) {
    std::fputs("usage: agent_steps [steps, 8 to 10000, default 9992 [rounds, "
               "default 7, or once: steps that wait for nothing, alone]]\n",
               stderr);
    return 2;
  }
  if (is_once)
    return run_once(steps);
  std::vector<double> single, waiting, round_robin, swarm;
  for (int round = 0; round < rounds; ++round) {
    round_robin.push_back(turns(mode::round_robin, steps));
    swarm.push_back(turns(mode::swarm, steps));
    single.push_back(agent_steps(steps, false));
    waiting.push_back(agent_steps(steps, true));
  }
  std::printf("turns a second: round_robin %.0f, swarm %.0f\n",
              median(round_robin), median(swarm));
  for (const auto& [name, all] :
       {std::pair{"steps", &single}, std::pair{"steps that wait", &waiting}})
    std::printf("%s a second: %.0f, %.2f of round_robin, %.2f of swarm\n", name,
                median(*all), ratio(*all, round_robin), ratio(*all, swarm));
}
