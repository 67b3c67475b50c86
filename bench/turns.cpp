// Turns per second of whole sessions, events to a file, as ratios to what stock
// CAF does with the same messages; both in one process, interleaved, medians.
// docs/performance.md has the figures. All is validated, save in column `off`.

#include "baseline/figures.hpp"
#include "baseline/raw_caf.hpp"

#include <convene/convene.hpp>
#include <convene/modes/catalog.hpp>
#include <convene/session/machine/machine.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace {

using convene::bench::median;
using convene::bench::workload;
using clock_type = std::chrono::steady_clock;

constexpr std::uint32_t swarm_steps = 10'000;

std::string name_of(std::size_t i) {
  return "agent-" + std::to_string(i);
}

convene::reply short_answer(const convene::turn_request&) {
  return {.content = "looks good"};
}

convene::session_setup talk(convene::mode how, std::size_t participants) {
  convene::session_setup setup{.title = "bench",
                               .purpose = "measure",
                               .mode = how,
                               .task = "review the change"};
  setup.options.max_turns = 1'000'000'000;
  for (std::size_t i = 0; i < participants; ++i)
    setup.participants.push_back(
      convene::quick_agent(name_of(i), "role", short_answer));
  return setup;
}

/// Dispatches its eight agents in turn, then completes.
convene::participant orchestrator(std::uint64_t turns) {
  return convene::quick_agent(
    "orchestrator", "role", [turns](const convene::turn_request& asked) {
      const auto n = asked.kind_sequence;
      if (n == turns)
        return convene::reply{
          .decision = {convene::protocol::complete_decision{}}};
      return convene::reply{.decision = {convene::protocol::dispatch_decision{
                              .participant = name_of(n % 8)}}};
    });
}

std::filesystem::path log_file() {
  return std::filesystem::temp_directory_path() / "convene-bench.jsonl";
}

convene::session_setup make(workload which, std::uint64_t turns) {
  using convene::mode;
  const auto rounds = [&](convene::session_setup setup, std::uint64_t each) {
    setup.options.rounds
      = static_cast<std::int64_t>(std::max<std::uint64_t>(turns / each, 1));
    return setup;
  };
  switch (which) {
    case workload::round_robin:
      return rounds(talk(mode::round_robin, 8), 8);
    case workload::sessions:
      return rounds(talk(mode::round_robin, 8), std::uint64_t{8} * 1000);
    case workload::broadcast:
      return rounds(talk(mode::broadcast, 65), 64);
    case workload::pair:
      return rounds(talk(mode::pair, 2), 2);
    case workload::orchestrated: {
      auto setup = talk(mode::orchestrated, 8);
      setup.participants.push_back(orchestrator(turns));
      return setup;
    }
    case workload::swarm: {
      auto setup = talk(mode::swarm, 8);
      setup.tasks.assign(std::min<std::uint64_t>(turns, swarm_steps),
                         {.title = "review the change"});
      return setup;
    }
  }
  std::abort();
}

/// `how.log` is a file that is there while this runs, or none.
double convene_turns_per_second(workload which, std::uint64_t turns,
                                const convene::runtime_options& how) {
  std::filesystem::remove(how.log);
  const auto setup = make(which, turns);
  const std::uint64_t sessions
    = which == workload::sessions ? 1000
      : which == workload::swarm
        ? std::max<std::uint64_t>(turns / swarm_steps, 1)
        : 1;
  double seconds = 0;
  std::uint64_t done = 0;
  {
    convene::runtime runtime{how};
    const auto begin = clock_type::now();
    std::vector<convene::session_handle> all;
    for (std::uint64_t i = 0; i < sessions; ++i) {
      all.push_back(runtime.start(setup));
      if (which == workload::swarm)
        static_cast<void>(all.back().await());
    }
    for (const auto& session : all) {
      const auto result = session.await();
      if (!result || result->status != convene::collab_status::completed) {
        std::fprintf(stderr, "the session did not complete: %s\n",
                     result ? result->stop_reason.condition.c_str()
                            : to_string(result.error()).c_str());
        std::exit(1);
      }
      done += result->turns
              + result->broadcasts * static_cast<std::uint64_t>(64);
    }
    if (!runtime.flush())
      std::exit(1);
    seconds = std::chrono::duration<double>(clock_type::now() - begin).count();
  }
  std::filesystem::remove(how.log);
  return static_cast<double>(done) / seconds;
}

double convene_turns_per_second(workload which, std::uint64_t turns,
                                std::size_t threads, bool log,
                                convene::validation_level validation) {
  return convene_turns_per_second(which, turns,
                                  {.threads = threads,
                                   .log = log ? log_file()
                                              : std::filesystem::path{},
                                   .durability = convene::durability::none,
                                   .validation = validation});
}

/// The machine alone, round robin of eight, events encoded and dropped.
double machine_turns_per_second(std::uint64_t turns) {
  namespace session = convene::session;
  convene::protocol::uuid_source ids{1};
  auto spec = convene::make_spec(make(workload::round_robin, turns), ids, 0);
  auto machine = session::machine::activate(
    std::move(spec), *convene::modes::find("round_robin"), ids.next());
  session::effects out;
  std::int64_t now = 1'700'000'000'000;
  const auto begin = clock_type::now();
  (*machine)->feed({now, session::start{}}, out);
  while (!(*machine)->ended()) {
    const auto to = out.deliveries.front().to;
    const auto token = out.deliveries.front().what.token;
    out.clear();
    (*machine)->feed({now, session::answer{.from = to,
                                           .token = token,
                                           .reply = {.content = "looks good"}}},
                     out);
  }
  const auto seconds
    = std::chrono::duration<double>(clock_type::now() - begin).count();
  return (*machine)->counts().turns / seconds;
}

/// One workload by itself, for counting its instructions with other tools.
int run_alone(workload which, std::uint64_t turns,
              convene::validation_level validation) {
  std::printf("%.0f turns/s\n",
              convene_turns_per_second(which, turns, 1, true, validation));
  return 0;
}

/// One long session with and without snapshots of it every so many events, all
/// else as it is where nobody says otherwise. The medians of the ratios of each
/// round: what disturbs a round disturbs both.
int run_with_snapshots(std::uint64_t turns, std::uint64_t runs,
                       std::uint64_t every) {
  std::vector<double> rates, slower, work;
  for (std::uint64_t i = 0; i < runs; ++i) {
    double rate[2], seconds[2];
    for (const std::size_t with : {0, 1}) {
      const auto begin = std::clock();
      rate[with]
        = convene_turns_per_second(workload::round_robin, turns,
                                   {.threads = 1,
                                    .log = log_file(),
                                    .snapshot_events = with == 1 ? every : 0});
      seconds[with] = static_cast<double>(std::clock() - begin)
                      / CLOCKS_PER_SEC;
    }
    std::filesystem::remove(log_file().replace_extension(".index"));
    rates.push_back(rate[0]);
    slower.push_back(rate[1] / rate[0]);
    work.push_back(seconds[1] / seconds[0]);
  }
  std::printf("%.0f turns/s without snapshots; with one every %llu events "
              "%.2f of that, for %.2f of the processor's time\n",
              median(rates), static_cast<unsigned long long>(every),
              median(slower), median(work));
  return 0;
}

/// A thousand sessions, and one that asks 64 at once, on 1, 2, 4, ... threads.
int run_on_threads(std::uint64_t turns, std::uint64_t runs) {
  using enum convene::validation_level;
  const std::size_t cores = std::max(1U, std::thread::hardware_concurrency());
  std::printf("%-10s %7s %11s %11s %11s %7s %7s\n", "workload", "threads",
              "raw/s", "no log/s", "log/s", "no log", "log");
  for (const auto which : {workload::sessions, workload::broadcast})
    for (std::size_t threads = 1; threads <= cores; threads *= 2) {
      std::vector<double> raw, bare, logged;
      for (std::uint64_t i = 0; i < runs; ++i) {
        raw.push_back(
          convene::bench::raw_turns_per_second(which, turns, threads));
        bare.push_back(
          convene_turns_per_second(which, turns, threads, false, boundary));
        logged.push_back(
          convene_turns_per_second(which, turns, threads, true, boundary));
      }
      std::printf(
        "%-10s %7zu %11.0f %11.0f %11.0f %7.2f %7.2f\n",
        convene::bench::workload_names[static_cast<std::size_t>(which)].data(),
        threads, median(raw), median(bare), median(logged),
        convene::bench::ratio(bare, raw), convene::bench::ratio(logged, raw));
      std::fflush(stdout);
    }
  return 0;
}

} // namespace

int main(int argc, char** argv) {
  using convene::validation_level;
  if (argc > 1 && std::string_view{argv[1]} == "snapshots")
    return run_with_snapshots(
      argc > 2 ? std::max(std::strtoull(argv[2], nullptr, 10), 1ULL)
               : 200'000ULL,
      argc > 3 ? std::max(std::strtoull(argv[3], nullptr, 10), 1ULL) : 5ULL,
      argc > 4 ? std::max(std::strtoull(argv[4], nullptr, 10), 1ULL)
               : 20'000ULL);
  if (argc > 1 && std::string_view{argv[1]} == "threads")
    return run_on_threads(
      argc > 2 ? std::max(std::strtoull(argv[2], nullptr, 10), 1ULL)
               : 2'000'000ULL,
      argc > 3 ? std::max(std::strtoull(argv[3], nullptr, 10), 1ULL) : 3ULL);
  const auto turns = argc > 1 ? std::strtoull(argv[1], nullptr, 10)
                              : 400'000ULL;
  const auto names = convene::bench::workload_names;
  const auto* const only = argc == 4 ? std::ranges::find(names, argv[2])
                                     : std::ranges::end(names);
  const auto level = argc == 4
                       ? convene::protocol::from_word<validation_level>(argv[3])
                       : std::nullopt;
  const auto runs = argc == 3 ? std::strtoull(argv[2], nullptr, 10) : 5ULL;
  if (turns == 0 || runs == 0 || argc > 4
      || (argc == 4 && (only == std::ranges::end(names) || !level))) {
    std::fputs("usage: turns [turns, default 400000 [runs, default 5]]\n"
               "       turns TURNS WORKLOAD boundary|input|off\n"
               "       turns threads [turns, default 2000000 [runs]]\n"
               "       turns snapshots [turns, default 200000 [runs [events, "
               "default 20000]]]\n",
               stderr);
    return 2;
  }
  if (level)
    return run_alone(convene::bench::workloads[static_cast<std::size_t>(
                       only - std::ranges::begin(names))],
                     turns, *level);
  std::printf("%-14s %7s %12s %12s %12s %12s %7s %7s %7s\n", "workload",
              "threads", "raw/s", "no log/s", "log/s", "off/s", "no log", "log",
              "off");
  const auto cores = std::max(1U, std::thread::hardware_concurrency());
  for (const auto which : convene::bench::workloads) {
    const std::size_t threads = which == workload::sessions ? cores : 1;
    // A thousand sessions have to be worth their start.
    const auto count = which == workload::sessions ? turns * 5 : turns;
    std::vector<double> raw, bare, logged, unchecked;
    for (std::uint64_t i = 0; i < runs; ++i) {
      using enum validation_level;
      raw.push_back(
        convene::bench::raw_turns_per_second(which, count, threads));
      bare.push_back(
        convene_turns_per_second(which, count, threads, false, boundary));
      logged.push_back(
        convene_turns_per_second(which, count, threads, true, boundary));
      unchecked.push_back(
        convene_turns_per_second(which, count, threads, true, off));
    }
    const auto base = median(raw);
    std::printf(
      "%-14s %7zu %12.0f %12.0f %12.0f %12.0f %7.2f %7.2f %7.2f\n",
      convene::bench::workload_names[static_cast<std::size_t>(which)].data(),
      threads, base, median(bare), median(logged), median(unchecked),
      median(bare) / base, median(logged) / base, median(unchecked) / base);
    std::fflush(stdout);
  }
  std::vector<double> alone;
  for (std::uint64_t i = 0; i < runs; ++i)
    alone.push_back(machine_turns_per_second(turns));
  std::printf("%-14s %7d %14s %14.0f\n", "machine alone", 1, "", median(alone));
  return 0;
}
