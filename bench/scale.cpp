// How far one process goes: a million participants, ten thousand in one
// broadcast, a session of a million turns, a thousand sessions a second for ten
// minutes, what a turn costs from one session to 100,000, and how turns a
// second grow with threads. docs/performance.md has the figures.

#include "scale/gate.hpp"
#include "scale/process.hpp"
#include "scale/sessions.hpp"
#include "scale/setup.hpp"

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
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace {

using namespace convene::bench;
using clock_type = std::chrono::steady_clock;

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

/// Such as 1,2,4. Ends the program if it is not that.
std::vector<std::size_t> thread_counts(std::string_view list) {
  constexpr std::size_t most = 1'024;
  std::vector<std::size_t> out;
  const auto* const end = list.data() + list.size();
  for (const auto* at = list.data();;) {
    std::size_t count = 0;
    const auto read = std::from_chars(at, end, count);
    const bool good = read.ec == std::errc{} && count > 0 && count <= most
                      && (read.ptr == end || *read.ptr == ',');
    if (!good) {
      std::fprintf(stderr,
                   "--threads %.*s: expected numbers from 1 to %zu with commas "
                   "between them, such as 1,2,4\n",
                   static_cast<int>(list.size()), list.data(), most);
      std::exit(2);
    }
    out.push_back(count);
    if (read.ptr == end)
      return out;
    at = read.ptr + 1;
  }
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
  if (what == "sessions" && argc > 3
      && std::string_view{argv[2]} == "--threads")
    return sessions_on_threads(thread_counts(argv[3]), number(4, 2'000'000),
                               argc > 5 ? argv[5] : "");
  if (what == "sessions")
    return sessions(number(2, 100'000), number(3, 800'000));
  std::fputs(
    "usage: scale participants [SESSIONS [IN EACH]]\n"
    "       scale broadcast [PARTICIPANTS [TIMES]]\n"
    "       scale turns [TURNS]\n"
    "       scale churn [A SECOND [SECONDS [FOLDER OF A LOG]]]\n"
    "       scale sessions [AT MOST [TURNS]]\n"
    "       scale sessions --threads 1,2,4 [TURNS [FOLDER OF A LOG]]\n",
    stderr);
  return 2;
}
