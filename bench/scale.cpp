// How far one process goes: a million participants, ten thousand in one
// broadcast, a session of a million turns, a thousand sessions a second for ten
// minutes, and what a turn costs from one session to 100,000.
// docs/performance.md has the figures.

#include "scale/gate.hpp"
#include "scale/process.hpp"

#include <convene/convene.hpp>
#include <malloc.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace {

using namespace convene::bench;
using clock_type = std::chrono::steady_clock;

constexpr std::int64_t hour_ms = 3'600'000;

convene::session_setup talk(convene::mode how, std::int64_t rounds) {
  convene::session_setup setup{.title = "scale",
                               .purpose = "measure",
                               .mode = how,
                               .task = "review the change"};
  setup.options.rounds = rounds;
  setup.options.max_turns = 1'000'000'000;
  setup.options.max_duration_ms = 24 * hour_ms;
  setup.options.turn_timeout_ms = hour_ms;
  return setup;
}

void add_agents(convene::session_setup& to, std::size_t count) {
  for (std::size_t at = 0; at < count; ++at)
    to.participants.push_back(convene::quick_agent(
      "agent-" + std::to_string(at), "role", [](const convene::turn_request&) {
        return convene::reply{.content = "ok"};
      }));
}

/// The result of a session that has to complete.
convene::session_result completed(const convene::session_handle& session) {
  auto result = session.await();
  if (result && result->status == convene::collab_status::completed)
    return *std::move(result);
  std::fprintf(stderr, "a session did not complete: %s\n",
               result ? result->stop_reason.condition.c_str()
                      : to_string(result.error()).c_str());
  std::exit(1);
}

/// Sessions whose last participant answers when all of them have come to it:
/// so all are there at once, and every participant has had its turn or has it.
int participants(std::uint64_t sessions, std::uint64_t each) {
  const auto before = resident_bytes();
  convene::runtime runtime;
  gate all;
  auto setup = talk(convene::mode::round_robin, 1);
  add_agents(setup, each - 1);
  setup.participants.push_back(convene::async_agent(
    "last", "role",
    [&all](const convene::turn_request&, convene::responder to) {
      all.hold(std::move(to));
    }));
  const auto begun = clock_type::now();
  std::vector<convene::session_handle> running;
  running.reserve(sessions);
  for (std::uint64_t count = 0; count < sessions; ++count)
    running.push_back(runtime.start(setup));
  all.wait_for(sessions);
  const auto up = seconds_since(begun);
  const auto bytes = resident_bytes() - before;
  const auto opened = clock_type::now();
  all.open();
  for (const auto& session : running)
    static_cast<void>(completed(session));
  running.clear();
  const auto down = seconds_since(opened);
  const auto left = resident_bytes();
  malloc_trim(0); // what is only kept for the next ones goes
  const auto count = static_cast<double>(sessions * each);
  std::printf(
    "%.0f participants in %llu sessions: %.0f bytes each, %.0f MB; "
    "started and a turn each in %.1f s, ended in %.1f s; then %.0f MB, "
    "trimmed %.0f MB; load %s\n",
    count, static_cast<unsigned long long>(sessions),
    static_cast<double>(bytes) / count, static_cast<double>(bytes) / 1e6, up,
    down, static_cast<double>(left) / 1e6,
    static_cast<double>(resident_bytes()) / 1e6, load().c_str());
  return 0;
}

/// All but the initiator are asked at once, again and again. A session of one
/// round before tells what start and end cost.
int broadcast(std::uint64_t count, std::uint64_t rounds) {
  const auto before = resident_bytes();
  convene::runtime runtime;
  const auto use_of = [&](std::uint64_t times) {
    auto setup = talk(convene::mode::broadcast,
                      static_cast<std::int64_t>(times));
    add_agents(setup, count);
    const auto at_start = cpu_used();
    static_cast<void>(completed(runtime.start(setup)));
    return cpu_used() - at_start;
  };
  const auto once = use_of(1);
  const auto begun = clock_type::now();
  const auto all = use_of(rounds + 1);
  const auto took = seconds_since(begun);
  const auto each = static_cast<double>(count - 1);
  const auto more = static_cast<double>(rounds) * each;
  const auto net = all - once;
  std::printf(
    "a broadcast to %llu, %llu times: %.2f s, %.2f us of CPU an answer; "
    "without start and end %.2f us (user %.2f, system %.2f) and %.3f page "
    "faults; peak %.0f MB more than at the start; load %s\n",
    static_cast<unsigned long long>(count - 1),
    static_cast<unsigned long long>(rounds + 1), took,
    all.seconds() * 1e6 / (more + each), net.seconds() * 1e6 / more,
    net.user * 1e6 / more, net.system * 1e6 / more, net.faults / more,
    static_cast<double>(peak_bytes() - before) / 1e6, load().c_str());
  return 0;
}

/// One session of very many turns.
int turns(std::uint64_t count) {
  const auto before = resident_bytes();
  convene::runtime runtime{{.threads = 1}};
  auto setup
    = talk(convene::mode::round_robin,
           static_cast<std::int64_t>(std::max<std::uint64_t>(count / 2, 1)));
  add_agents(setup, 2);
  const auto begun = clock_type::now();
  const auto result = completed(runtime.start(setup));
  const auto took = seconds_since(begun);
  std::printf("a session of %u turns: %.1f s, peak %.0f MB more than at the "
              "start; load %s\n",
              result.turns, took,
              static_cast<double>(peak_bytes() - before) / 1e6, load().c_str());
  return 0;
}

/// Starts so many sessions a second, whose ends are awaited as they come.
int churn(std::uint64_t per_second, std::uint64_t duration,
          const std::filesystem::path& log) {
  convene::runtime_options how;
  if (!log.empty()) {
    std::filesystem::create_directories(log);
    how.log = log;
    how.log_keep_bytes = std::uint64_t{256} << 20;
  }
  convene::runtime runtime{how};
  auto setup = talk(convene::mode::round_robin, 1);
  add_agents(setup, 3);
  const auto begun = clock_type::now();
  const auto cpu = cpu_seconds();
  std::deque<convene::session_handle> running;
  std::uint64_t started = 0;
  std::size_t first = 0;
  std::size_t last = 0;
  std::size_t first_used = 0;
  std::size_t last_used = 0;
  const auto all = per_second * duration;
  double late = 0;
  const auto tenth = std::max<std::uint64_t>(all / 10, 1);
  while (started < all) {
    const auto due
      = begun
        + std::chrono::duration_cast<clock_type::duration>(
          std::chrono::duration<double>(static_cast<double>(started)
                                        / static_cast<double>(per_second)));
    std::this_thread::sleep_until(due);
    late = std::max(late, seconds_since(due));
    running.push_back(runtime.start(setup));
    ++started;
    while (running.size() > 2 * per_second
           || (!running.empty()
               && running.front().await_for(std::chrono::milliseconds{0}))) {
      static_cast<void>(completed(running.front()));
      running.pop_front();
    }
    if (started % tenth == 0) {
      last = resident_bytes();
      first = first == 0 ? last : first;
      last_used = allocated_bytes();
      first_used = first_used == 0 ? last_used : first_used;
      std::printf("%8.0f s %10llu sessions %8.1f MB resident, %.2f MB "
                  "allocated\n",
                  seconds_since(begun),
                  static_cast<unsigned long long>(started),
                  static_cast<double>(last) / 1e6,
                  static_cast<double>(last_used) / 1e6);
      std::fflush(stdout);
    }
  }
  for (const auto& session : running)
    static_cast<void>(completed(session));
  if (!runtime.flush())
    return 1;
  const auto took = seconds_since(begun);
  const auto per_session = [&](std::size_t before, std::size_t after) {
    return (static_cast<double>(after) - static_cast<double>(before))
           / static_cast<double>(all - all / 10);
  };
  std::printf("%.0f sessions a second for %.0f s: from the first tenth to the "
              "last %+.1f bytes resident and %+.1f bytes allocated for each, "
              "%.0f us of CPU a session, at most %.2f s late; load %s\n",
              static_cast<double>(all) / took, took, per_session(first, last),
              per_session(first_used, last_used),
              (cpu_seconds() - cpu) * 1e6 / static_cast<double>(all), late,
              load().c_str());
  return 0;
}

/// What a turn costs while so many sessions go on, without their beginnings and
/// ends: all wait at their first turn until the last one is there, and again
/// before their last one.
double turn_us(std::uint64_t sessions, std::int64_t rounds, double& wall_us) {
  constexpr std::size_t others = 7;
  convene::runtime runtime;
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
  const auto turns = static_cast<double>(sessions)
                     * static_cast<double>((rounds - 1) * (others + 1));
  wall_us = seconds_since(begun) * 1e6 / turns;
  const auto out = (cpu_seconds() - cpu) * 1e6 / turns;
  last.open();
  for (const auto& session : running)
    static_cast<void>(completed(session));
  return out;
}

int sessions(std::uint64_t most, std::uint64_t turns) {
  std::printf("| sessions | turns | CPU a turn | wall clock a turn |\n"
              "|---|---|---|---|\n");
  std::vector<std::pair<std::uint64_t, double>> points;
  for (std::uint64_t count = 1; count <= most; count *= 10) {
    const auto rounds = static_cast<std::int64_t>(
      std::max<std::uint64_t>(turns / count / 8, 1) + 1);
    std::vector<double> cpu;
    std::vector<double> wall;
    for (int round = 0; round < 3; ++round) {
      wall.push_back(0);
      cpu.push_back(turn_us(count, rounds, wall.back()));
    }
    std::ranges::sort(cpu);
    std::ranges::sort(wall);
    points.emplace_back(count, cpu[1]);
    std::printf("| %llu | %llu | %.2f us | %.2f us |\n",
                static_cast<unsigned long long>(count),
                static_cast<unsigned long long>(
                  count * static_cast<std::uint64_t>(rounds - 1) * 8),
                cpu[1], wall[1]);
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

std::uint64_t number_or(int argc, char** argv, int at, std::uint64_t usual) {
  if (at >= argc)
    return usual;
  std::uint64_t number = 0;
  const auto* end = argv[at] + std::strlen(argv[at]);
  const auto read = std::from_chars(argv[at], end, number);
  if (read.ec != std::errc{} || read.ptr != end || number == 0) {
    std::fprintf(stderr, "%s: a whole number above 0 is wanted\n", argv[at]);
    std::exit(2);
  }
  return number;
}

} // namespace

int main(int argc, char** argv) {
  const std::string_view what = argc > 1 ? argv[1] : "";
  const auto number = [&](int at, std::uint64_t usual) {
    return number_or(argc, argv, at, usual);
  };
  if (what == "participants")
    return participants(number(2, 100'000),
                        std::max<std::uint64_t>(number(3, 10), 2));
  if (what == "broadcast")
    return broadcast(std::max<std::uint64_t>(number(2, 10'000), 2),
                     number(3, 5));
  if (what == "turns")
    return turns(number(2, 1'000'000));
  if (what == "churn")
    return churn(number(2, 1'000), number(3, 600), argc > 4 ? argv[4] : "");
  if (what == "sessions")
    return sessions(number(2, 100'000), number(3, 800'000));
  std::fputs("usage: scale participants [SESSIONS [IN EACH]]\n"
             "       scale broadcast [PARTICIPANTS [TIMES]]\n"
             "       scale turns [TURNS]\n"
             "       scale churn [A SECOND [SECONDS [FOLDER OF A LOG]]]\n"
             "       scale sessions [AT MOST [TURNS]]\n",
             stderr);
  return 2;
}
