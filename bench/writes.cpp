// What a write costs: turns with one accepted write against turns without, few
// resources against many, and the memory of a resource. In one process,
// interleaved, medians. docs/performance.md has the figures.

#include "baseline/figures.hpp"

#include <convene/convene.hpp>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace {

using convene::bench::median;
using clock_type = std::chrono::steady_clock;

std::string resource(std::size_t i) {
  return "part-" + std::to_string(i);
}

/// Round robin of eight; each turn writes the next of so many resources, or
/// nothing if there is none.
convene::session_setup talk(std::size_t resources, std::uint64_t turns,
                            bool writes) {
  convene::session_setup setup{.title = "bench",
                               .purpose = "measure",
                               .mode = convene::mode::round_robin,
                               .task = "review the change"};
  setup.options.max_turns = 1'000'000'000;
  setup.options.rounds = static_cast<std::int64_t>(turns / 8);
  for (std::size_t i = 0; i < resources; ++i)
    setup.workspace.push_back({"file", resource(i), "as it was before"});
  for (std::size_t i = 0; i < 8; ++i)
    setup.participants.push_back(convene::quick_agent(
      "agent-" + std::to_string(i), "role",
      [resources, writes](const convene::turn_request& turn) {
        convene::reply answer{.content = "looks good"};
        if (!writes)
          return answer;
        const auto name = resource(turn.turn % resources);
        const auto* now = turn.workspace.find({"file", name});
        answer.writes.push_back(
          {.resource_type = "file",
           .resource_id = name,
           .base_version = static_cast<std::int64_t>(now->version),
           .value = "as it is now"});
        return answer;
      }));
  return setup;
}

double turns_per_second(std::size_t resources, std::uint64_t turns, bool writes,
                        convene::validation_level level
                        = convene::validation_level::boundary) {
  const auto file = std::filesystem::temp_directory_path()
                    / "convene-bench-writes.jsonl";
  std::filesystem::remove(file);
  const auto setup = talk(resources, turns, writes);
  double seconds = 0;
  {
    convene::runtime runtime{{.threads = 1,
                              .log = file,
                              .durability = convene::durability::none,
                              .validation = level}};
    // Opening a workspace is not what is measured.
    auto warm = setup;
    warm.options.rounds = 1;
    const auto from = clock_type::now();
    if (!runtime.start(warm).await())
      std::exit(1);
    const auto begin = clock_type::now();
    const auto result = runtime.start(setup).await();
    if (!result || result->turns != turns / 8 * 8 || !runtime.flush())
      std::exit(1);
    const auto end = clock_type::now();
    seconds
      = std::chrono::duration<double>((end - begin) - (begin - from)).count();
  }
  std::filesystem::remove(file);
  return static_cast<double>(turns) / seconds;
}

std::size_t resident() {
  std::size_t total = 0;
  std::size_t pages = 0;
  std::ifstream{"/proc/self/statm"} >> total >> pages;
  return pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

/// Bytes that each resource of a workspace takes while its session runs, with
/// a value of 16 bytes.
std::size_t bytes_per_resource() {
  constexpr std::size_t count = 50'000;
  convene::runtime runtime;
  const auto run = [&](std::size_t resources) {
    const auto before = resident();
    auto session = runtime.start(talk(resources, 8, false));
    session.suspend("measuring");
    static_cast<void>(session.await_for(std::chrono::milliseconds{3000}));
    const auto after = resident();
    session.cancel("measured");
    static_cast<void>(session.await());
    return after > before ? after - before : 0;
  };
  run(1);
  return run(count) / count;
}

} // namespace

int main(int argc, char** argv) {
  const auto turns = argc > 1 ? std::strtoull(argv[1], nullptr, 10)
                              : 200'000ULL;
  const auto runs = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 5ULL;
  if (turns < 8 || runs == 0 || argc > 3) {
    std::fputs("usage: writes [turns, default 200000 [runs, default 5]]\n",
               stderr);
    return 2;
  }
  using enum convene::validation_level;
  std::vector<double> without, few, many, without_off, few_off;
  for (std::uint64_t i = 0; i < runs; ++i) {
    without.push_back(turns_per_second(10, turns, false));
    few.push_back(turns_per_second(10, turns, true));
    many.push_back(turns_per_second(10'000, turns, true));
    without_off.push_back(turns_per_second(10, turns, false, off));
    few_off.push_back(turns_per_second(10, turns, true, off));
  }
  const auto base = median(without);
  std::printf("turns without a write          %10.0f/s\n", base);
  std::printf("turns with one, 10 resources   %10.0f/s, %.2f times the time\n",
              median(few), base / median(few));
  std::printf("the same without validation    %10.0f/s, %.2f times the time\n",
              median(few_off), median(without_off) / median(few_off));
  std::printf(
    "turns with one, 10,000         %10.0f/s, %+.1f percent of the time\n",
    median(many), 100 * (median(few) / median(many) - 1));
  std::printf("a resource with a short text   %10zu bytes\n",
              bytes_per_resource());
  return 0;
}
