#include <convene/actors/behaviours/function.hpp>

#include <exception>

namespace convene::actors {
namespace {

answer behaviour_threw(std::string what) {
  return {.reply = {.status = protocol::reply_status::failed,
                    .error = {"behaviour_threw", std::move(what)}}};
}

} // namespace

answer function_behaviour::respond(const turn_request& asked) {
  try {
    return {.reply = ask_(asked)};
  } catch (const std::exception& thrown) {
    return behaviour_threw(thrown.what());
  } catch (...) {
    return behaviour_threw("something other than std::exception");
  }
}

} // namespace convene::actors
