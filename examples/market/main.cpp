// A buyer and a seller bargain until their offers meet. Each thinks for a
// virtual time, longer the closer they are, so hours pass in milliseconds and
// the same seed gives the same log.
#include <convene/convene.hpp>

#include <algorithm>
#include <cstdint>
#include <iostream>
#include <memory>
#include <string>

using namespace convene;

namespace {

/// The latest offers; only the functions of one session touch them.
struct offers {
  std::int64_t bid = 0;
  std::int64_t ask = 0;

  [[nodiscard]] bool met() const {
    return bid >= ask;
  }
};

constexpr std::int64_t minute_ms = 60'000;

/// Moves by a part of the gap, and takes an hour divided by the gap for it.
timed_reply answer(offers& now, std::int64_t& own, std::int64_t step) {
  own += step;
  return {.reply = {.content = std::to_string(own), .end = now.met()},
          .delay_ms = 60 * minute_ms
                      / std::max<std::int64_t>(now.ask - now.bid, 1)};
}

session_setup bargain(std::int64_t bid, std::int64_t ask) {
  const auto now = std::make_shared<offers>(offers{bid, ask});
  session_setup made{
    .title = "A price for 100 barrels",
    .mode = mode::round_robin,
    .participants = {timed_agent("buyer", "buyer",
                                 [now](const turn_request&) {
                                   const auto gap = now->ask - now->bid;
                                   return answer(*now, now->bid, (gap + 3) / 4);
                                 }),
                     timed_agent("seller", "seller",
                                 [now](const turn_request&) {
                                   const auto gap = now->ask - now->bid;
                                   return answer(*now, now->ask,
                                                 -((gap + 4) / 5));
                                 })},
    .task = "Agree on a price"};
  made.options.rounds = 50;
  made.options.max_duration_ms = 48 * 60 * minute_ms;
  made.options.turn_timeout_ms = 120 * minute_ms;
  return made;
}

} // namespace

int main() {
  runtime rt{{.seed = 7}};
  const auto session = rt.start(bargain(60, 100));
  const auto result = session.await();
  if (!result) {
    std::cerr << to_string(result.error()) << '\n';
    return 1;
  }
  const auto said = result->dialog().messages;
  std::cout << "agreed at " << said.back().content << " after "
            << said.size() - 1 << " offers and "
            << result->duration_ms / minute_ms
            << " minutes: " << result->stop_reason.condition << '\n';
  return result->status == collab_status::completed ? 0 : 1;
}
