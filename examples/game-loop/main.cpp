// A game whose characters talk in sessions. The loop answers for them, between
// two frames, from a queue; it asks every session how it stands in each frame,
// and never waits for one.
#include <convene/convene.hpp>

#include <algorithm>
#include <chrono>
#include <iostream>
#include <thread>
#include <vector>

using namespace convene;

namespace {

constexpr std::size_t places = 50;
constexpr std::size_t answers_each_frame = 20;
constexpr std::chrono::milliseconds frame{16};

session_setup conversation(const std::shared_ptr<request_queue>& asked) {
  session_setup made{.mode = mode::round_robin,
                     .participants = {pull_agent("guard", "guard", asked),
                                      pull_agent("trader", "trader", asked)},
                     .task = "Talk about the stranger at the gate"};
  made.options.rounds = 2;
  return made;
}

} // namespace

int main() {
  const auto asked = request_queue::make();
  if (!asked) {
    std::cerr << to_string(asked.error()) << '\n';
    return 1;
  }
  runtime rt;
  std::vector<session_handle> talks;
  for (std::size_t i = 0; i < places; ++i)
    talks.push_back(rt.start(conversation(*asked)));

  std::size_t frames = 0;
  for (bool all_ended = false; !all_ended; ++frames) {
    // Who speaks next, as far as this frame has time for it.
    for (std::size_t n = 0; n < answers_each_frame; ++n) {
      const auto turn = (*asked)->next_for(std::chrono::milliseconds{0});
      if (!turn)
        break;
      turn->live->answer({.content = turn->participant + " nods"});
    }
    // What is drawn: over whose head the bubble is.
    all_ended = std::ranges::all_of(talks, [](const auto& talk) {
      return talk.state().ended;
    });
    std::this_thread::sleep_for(frame);
  }
  std::size_t turns = 0;
  for (const auto& talk : talks)
    turns += talk.state().turns;
  std::cout << places << " conversations of " << turns << " turns ended\n";
  return turns == places * 4 ? 0 : 1;
}
