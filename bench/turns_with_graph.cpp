// Turns of sessions whose project graph somebody keeps as they run, by a
// subscription that is folded, against the same without. In one process,
// interleaved, medians. docs/performance.md has the figures.

#include "baseline/figures.hpp"

#include <convene/convene.hpp>
#include <convene/protocol/graph/graph_fold.hpp>
#include <convene/protocol/json/json_text.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace {

using namespace convene;
using convene::bench::median;
using convene::bench::ratio;

constexpr std::size_t agents = 8;
constexpr std::size_t swarm_steps = 10'000;

session_setup make(mode how, std::size_t turns) {
  session_setup setup{.title = "bench",
                      .purpose = "measure",
                      .mode = how,
                      .task = "review the change"};
  setup.options.max_turns = 1'000'000'000;
  for (std::size_t i = 0; i < agents; ++i)
    setup.participants.push_back(quick_agent(
      "agent-" + std::to_string(i), "role",
      [](const turn_request&) -> reply { return {.content = "looks good"}; }));
  if (how == mode::swarm)
    setup.tasks.assign(turns, {.title = "review the change"});
  else
    setup.options.rounds = static_cast<std::int64_t>(turns / agents);
  return setup;
}

void must(bool done, const char* what) {
  if (done)
    return;
  std::fprintf(stderr, "%s failed\n", what);
  std::exit(1);
}

/// What the graph of a log is folded from; other events change nothing in it.
host::event_filter graph_events() {
  return {.types = {"MAPSessionStarted", "MAPSessionCompleted",
                    "workspace_opened", "session_input", "plan_created",
                    "step_added", "confirm_added", "decision_added",
                    "handoff_added", "session_recorded", "plan_status_changed",
                    "step_status_changed", "confirm_created",
                    "confirm_resolved", "resource_written", "claim_taken",
                    "claim_handed_over", "claim_released"}};
}

struct figures {
  double turns_per_second = 0;
  double processor_seconds = 0;
  std::size_t nodes = 0;
};

/// Until all is in the log's file and, with `keeps`, in the graph.
figures run(mode how, std::size_t turns, bool keeps) {
  const auto file = std::filesystem::temp_directory_path()
                    / "convene-bench-graph.jsonl";
  std::filesystem::remove(file);
  const auto setup = make(how, turns);
  protocol::project_graph graph;
  protocol::graph_fold fold{graph};
  figures made;
  {
    runtime host{{.threads = 1, .log = file, .durability = durability::none}};
    const auto processor = std::clock();
    const auto took = bench::seconds([&] {
      std::optional<event_listener> listener;
      if (keeps) {
        auto to = host.subscribe({.filter = graph_events(),
                                  .events_max = 10'000'000,
                                  .bytes_max = std::size_t{1} << 30});
        must(to.has_value(), "subscribing");
        listener.emplace(*to, [&fold](const delivery& next) {
          const auto* event = std::get_if<event_delivered>(&next);
          must(event != nullptr, "keeping up");
          const auto read = protocol::parse_json(*event->line);
          must(read && fold.feed(read->as_object()), "folding");
        });
      }
      const auto done = host.start(setup).await();
      must(done && done->status == collab_status::completed
             && done->turns == turns,
           "the session");
      must(host.close().has_value(), "closing");
      if (listener)
        listener->join();
    });
    made.turns_per_second = static_cast<double>(turns) / took;
    made.processor_seconds = static_cast<double>(std::clock() - processor)
                             / CLOCKS_PER_SEC;
    made.nodes = graph.nodes().size();
  }
  std::filesystem::remove(file);
  return made;
}

void compare(mode how, const char* name, std::size_t turns, int rounds) {
  std::vector<double> bare, kept, bare_work, kept_work;
  std::size_t nodes = 0;
  for (int round = 0; round < rounds; ++round) {
    const auto without = run(how, turns, false);
    const auto with = run(how, turns, true);
    must(with.nodes > agents, "the graph");
    bare.push_back(without.turns_per_second);
    kept.push_back(with.turns_per_second);
    bare_work.push_back(without.processor_seconds);
    kept_work.push_back(with.processor_seconds);
    nodes = with.nodes;
  }
  std::printf("%-11s %.0f turns/s without the graph; with it, %zu nodes, %.2f "
              "of that, for %.2f of the processor's time\n",
              name, median(bare), nodes, ratio(kept, bare),
              ratio(kept_work, bare_work));
}

} // namespace

int main(int argc, char** argv) {
  const auto turns = argc > 1 ? std::strtoull(argv[1], nullptr, 10)
                              : 200'000ULL;
  const int rounds = argc > 2 ? std::atoi(argv[2]) : 7;
  if (turns < agents || turns % agents != 0 || rounds < 1 || argc > 3) {
    std::fputs("usage: turns_with_graph [turns, a multiple of 8, default "
               "200000 [rounds, default 7]]\n",
               stderr);
    return 2;
  }
  compare(mode::round_robin, "round_robin", turns, rounds);
  compare(mode::swarm, "swarm", std::min<std::size_t>(turns, swarm_steps),
          rounds);
}
