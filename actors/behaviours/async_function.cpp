#include <convene/actors/behaviours/async_function.hpp>
#include <convene/protocol/base/catch_error.hpp>

namespace convene::actors {

answer async_function_behaviour::respond(const turn_request&) {
  return {.silent = true};
}

void async_function_behaviour::begin(turn_request asked) {
  const auto live = asked.live;
  // Until it is known whether it has thrown. Answered or over, nothing is sent
  // when the last responder goes.
  const responder answers{
    {live.get(), [live](live_turn* of) {
       of->answer(
         {.status = protocol::reply_status::failed,
          .error = {"responder_dropped", "the responder was destroyed without "
                                         "an answer"}});
     }}};
  const auto threw = catch_error([&] { ask_(asked, answers); });
  if (threw)
    live->answer({.status = protocol::reply_status::failed,
                  .error = {"behaviour_threw", *threw}});
}

} // namespace convene::actors
