#include "sessions.hpp"

#include "../baseline/figures.hpp"
#include "gate.hpp"
#include "process.hpp"
#include "scaling_model.hpp"
#include "setup.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace convene::bench {
namespace {

using clock_type = std::chrono::steady_clock;

constexpr std::size_t others = 7;

/// Microseconds that a turn takes.
struct turn_cost {
  double cpu = 0;
  double wall = 0;
};

/// What a turn costs while so many sessions run, without their starts and
/// ends: all wait at their first turn until the last one is there, and again
/// before their last one. A log is written until then.
turn_cost cost_of_turn(std::uint64_t sessions, std::int64_t rounds,
                       const convene::runtime_options& how) {
  convene::runtime runtime{how};
  gate first;
  gate last;
  auto setup = talk(convene::mode::round_robin, rounds);
  setup.participants.push_back(convene::async_agent(
    "gate", "role",
    [&first, &last, rounds](const convene::turn_request& asked,
                            convene::responder to) {
      if (asked.kind_sequence == 0)
        first.hold(std::move(to));
      else if (asked.kind_sequence + 1 == static_cast<std::uint64_t>(rounds))
        last.hold(std::move(to));
      else
        to.answer({.content = "ok"});
    }));
  add_agents(setup, others);
  std::vector<convene::session_handle> running;
  for (std::uint64_t count = 0; count < sessions; ++count)
    running.push_back(runtime.start(setup));
  first.wait_for(sessions);
  const auto begun = clock_type::now();
  const auto cpu = cpu_seconds();
  first.open();
  last.wait_for(sessions);
  if (!how.log.empty() && !runtime.flush())
    std::exit(1);
  const auto turns = static_cast<double>(sessions)
                     * static_cast<double>((rounds - 1) * (others + 1));
  const turn_cost out{.cpu = (cpu_seconds() - cpu) * 1e6 / turns,
                      .wall = seconds_since(begun) * 1e6 / turns};
  last.open();
  for (const auto& session : running)
    static_cast<void>(completed(session));
  return out;
}

std::int64_t rounds_of(std::uint64_t turns, std::uint64_t sessions) {
  return static_cast<std::int64_t>(
    std::max<std::uint64_t>(turns / sessions / (others + 1), 1) + 1);
}

/// The medians of three runs.
turn_cost median_cost(std::uint64_t sessions, std::int64_t rounds,
                      const convene::runtime_options& how) {
  std::vector<double> cpu;
  std::vector<double> wall;
  for (int run = 0; run < 3; ++run) {
    if (!how.log.empty()) {
      std::filesystem::remove_all(how.log);
      std::filesystem::create_directories(how.log);
    }
    const auto cost = cost_of_turn(sessions, rounds, how);
    cpu.push_back(cost.cpu);
    wall.push_back(cost.wall);
  }
  return {.cpu = median(cpu), .wall = median(wall)};
}

/// How many times the work of one thread, by the law.
std::string fitted(const std::optional<scaling_model>& law, double threads) {
  if (!law)
    return "-";
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.2f", law->speedup(threads));
  return text.data();
}

void print_law(const char* name, const std::optional<scaling_model>& law) {
  if (!law) {
    std::printf("%s: measure 1 thread and %s more numbers of threads, "
                "none above that of the cores\n",
                name, std::string_view{name} == "USL" ? "two" : "one");
    return;
  }
  std::printf("%s: serial share %.2f %%", name, law->serial * 100);
  if (std::string_view{name} == "USL")
    std::printf(", coherence %.4f %%", law->coherence * 100);
  if (const auto threads = law->fastest())
    std::printf("; fastest with %.0f threads, %.1f times one\n", *threads,
                law->speedup(std::max(*threads, 1.0)));
  else if (law->serial > 0)
    std::printf("; at most %.1f times one\n", 1 / law->serial);
  else
    std::printf("; no limit seen\n");
}

} // namespace

int sessions(std::uint64_t most, std::uint64_t turns) {
  std::printf("| sessions | turns | CPU a turn | wall clock a turn |\n"
              "|---|---|---|---|\n");
  std::vector<std::pair<std::uint64_t, double>> points;
  for (std::uint64_t count = 1; count <= most; count *= 10) {
    const auto rounds = rounds_of(turns, count);
    const auto [cpu, wall] = median_cost(count, rounds, {});
    points.emplace_back(count, cpu);
    std::printf("| %llu | %llu | %.2f us | %.2f us |\n",
                static_cast<unsigned long long>(count),
                static_cast<unsigned long long>(
                  count * static_cast<std::uint64_t>(rounds - 1) * 8),
                cpu, wall);
    std::fflush(stdout);
  }
  const auto highest
    = std::ranges::max_element(points, {}, [](const auto& one) {
        return one.second;
      })->second;
  for (const auto& [count, us] : points)
    std::printf(
      "%8llu %s %.2f us\n", static_cast<unsigned long long>(count),
      std::string(static_cast<std::size_t>(us / highest * 50), '#').c_str(),
      us);
  std::printf("load %s\n", load().c_str());
  return 0;
}

int sessions_on_threads(const std::vector<std::size_t>& threads,
                        std::uint64_t turns, const std::filesystem::path& log) {
  constexpr std::uint64_t count = 1'000;
  const std::size_t cores = std::max(1U, std::thread::hardware_concurrency());
  const auto rounds = rounds_of(turns, count);
  // Its own, since it is removed before each run.
  const auto file = log.empty() ? log : log / "convene-scale-log";
  std::vector<scaling_point> points;
  std::vector<double> cpu;
  for (const auto each : threads) {
    const auto cost = median_cost(
      count, rounds,
      {.threads = each, .log = file, .durability = convene::durability::none});
    points.push_back({static_cast<double>(each), 1e6 / cost.wall});
    cpu.push_back(cost.cpu);
  }
  std::vector<scaling_point> alone; // with a core for each thread
  std::ranges::copy_if(points, std::back_inserter(alone), [&](const auto& one) {
    return one.threads <= static_cast<double>(cores);
  });
  const auto amdahl = fit(alone, scaling_law::amdahl);
  const auto usl = fit(alone, scaling_law::usl);
  std::printf("| threads | turns/s | times the first | CPU a turn | Amdahl | "
              "USL |\n|---|---|---|---|---|---|\n");
  for (std::size_t at = 0; at < points.size(); ++at) {
    const auto n = points[at].threads;
    std::printf("| %.0f%s | %.0f | %.2f | %.2f us | %s | %s |\n", n,
                n > static_cast<double>(cores) ? ", more than cores" : "",
                points[at].rate, points[at].rate / points.front().rate, cpu[at],
                fitted(amdahl, n).c_str(), fitted(usl, n).c_str());
  }
  print_law("Amdahl", amdahl);
  print_law("USL", usl);
  std::printf("%zu cores, load %s\n", cores, load().c_str());
  return 0;
}

} // namespace convene::bench
