#include <convene/actors/behaviours/async_function.hpp>
#include <convene/protocol/base/catch_error.hpp>

namespace convene::actors {

answer async_function_behaviour::respond(const turn_request&) {
  return {.silent = true};
}

void async_function_behaviour::begin(turn_request asked) {
  const auto live = asked.live;
  const auto threw = catch_error([&] { ask_(asked, responder{live}); });
  if (threw)
    live->answer({.status = protocol::reply_status::failed,
                  .error = {"behaviour_threw", *threw}});
}

} // namespace convene::actors
