// What sessions cost in memory: while they run, and whether all of it comes
// back. docs/performance.md has the figures.

#include <convene/convene.hpp>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

namespace {

constexpr std::size_t participants = 10;

/// Resident memory of this process, in bytes.
std::size_t resident() {
  std::size_t total = 0;
  std::size_t pages = 0;
  std::ifstream{"/proc/self/statm"} >> total >> pages;
  return pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

/// A round robin of ten, five rounds.
convene::session_setup talk() {
  convene::session_setup setup{.title = "memory",
                               .purpose = "measure",
                               .mode = convene::mode::round_robin,
                               .task = "review the change"};
  setup.options.rounds = 5;
  for (std::size_t i = 0; i < participants; ++i)
    setup.participants.push_back(convene::quick_agent(
      "agent-" + std::to_string(i), "role", [](const convene::turn_request&) {
        return convene::reply{.content = "looks good"};
      }));
  return setup;
}

/// Starts sessions that are suspended at once, so that all of them are there.
void start(convene::runtime& runtime, std::size_t count,
           std::vector<convene::session_handle>& all) {
  auto setup = talk();
  setup.options.rounds = 1'000'000;
  for (std::size_t i = 0; i < count; ++i) {
    all.push_back(runtime.start(setup));
    all.back().suspend("measuring");
  }
}

} // namespace

int main() {
  convene::runtime runtime;
  std::vector<convene::session_handle> held;
  start(runtime, 100, held);
  const auto at_100 = resident();
  start(runtime, 900, held);
  const auto at_1000 = resident();
  const auto each = (at_1000 - at_100) / 900;
  std::printf("a session of %zu: %zu bytes, %zu for each participant\n",
              participants, each, each / participants);
  for (const auto& session : held)
    session.cancel("measured");
  for (const auto& session : held)
    static_cast<void>(session.await());
  held.clear();

  std::size_t first = 0;
  std::size_t last = 0;
  for (int batch = 0; batch < 10; ++batch) {
    std::vector<convene::session_handle> all;
    for (int i = 0; i < 1000; ++i)
      all.push_back(runtime.start(talk()));
    for (const auto& session : all)
      static_cast<void>(session.await());
    last = resident();
    if (batch == 0)
      first = last;
  }
  std::printf(
    "resident after 1,000 sessions %zu KiB, after 10,000 %zu KiB: "
    "%+.1f percent\n",
    first / 1024, last / 1024,
    100.0 * (static_cast<double>(last) / static_cast<double>(first) - 1.0));
  return 0;
}
