// usage: turns_of_agents KIND SESSIONS ROUNDS; prints microseconds per turn.
// KIND is quick (in the participant's actor) or pool (on a thread of the pool).
#include <convene/convene.hpp>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <vector>

namespace {

double seconds_of(convene::runtime& runtime, bool is_quick, int sessions,
                  int rounds) {
  const auto answer = [](const convene::turn_request&) {
    return convene::reply{.content = "looks good"};
  };
  const auto begun = std::chrono::steady_clock::now();
  std::vector<convene::session_handle> all;
  for (int i = 0; i < sessions; ++i) {
    convene::session_setup setup{.title = "bench",
                                 .purpose = "measure",
                                 .mode = convene::mode::round_robin,
                                 .task = "review the change"};
    for (const auto* id : {"a", "b"})
      setup.participants.push_back(is_quick
                                     ? convene::quick_agent(id, "r", answer)
                                     : convene::agent(id, "r", answer));
    setup.options.rounds = rounds;
    setup.options.max_turns = 1'000'000'000;
    all.push_back(runtime.start(setup));
  }
  for (const auto& each : all)
    if (!each.await())
      std::exit(1);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begun)
    .count();
}

} // namespace

int main(int count, char** given) {
  if (count != 4)
    return 2;
  const bool is_quick = std::string_view{given[1]} == "quick";
  const int sessions = std::atoi(given[2]);
  const int rounds = std::atoi(given[3]);
  convene::runtime runtime;
  static_cast<void>(seconds_of(runtime, is_quick, sessions, rounds / 10 + 1));
  std::printf("%.2f\n", seconds_of(runtime, is_quick, sessions, rounds) * 1e6
                          / sessions / rounds / 2);
}
