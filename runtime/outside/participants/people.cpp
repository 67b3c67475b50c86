#include <convene/runtime/outside/participants/people.hpp>

namespace convene::host {

actors::answer human::respond(const actors::turn_request&) {
  return {
    .reply = {.status = protocol::reply_status::failed,
              .error = {"virtual_time", "people are asked in real time only"}}};
}

} // namespace convene::host
