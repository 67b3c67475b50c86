#include <convene/actors/behaviours/async_function.hpp>
#include <convene/protocol/base/catch_error.hpp>

namespace convene::actors {

answer async_function_behaviour::respond(const turn_request&) {
  return {.silent = true};
}

void async_function_behaviour::begin(turn_request asked) {
  const auto live = asked.live;
  // Whoever holds the turn can answer. It is held until it is known whether the
  // function has thrown; of a turn that is answered or over, nothing is sent
  // when the last holder goes.
  asked.live = {live.get(), [live](live_turn* of) {
                  of->answer({.status = protocol::reply_status::failed,
                              .error = {"responder_dropped",
                                        "the responder was destroyed without "
                                        "an answer"}});
                }};
  const auto threw = catch_error([&] { ask_(asked, responder{asked.live}); });
  if (threw)
    live->answer({.status = protocol::reply_status::failed,
                  .error = {"behaviour_threw", *threw}});
}

} // namespace convene::actors
