#pragma once

#include <convene/actors/behaviours/live_turn.hpp>

#include <functional>
#include <memory>
#include <string>
#include <utility>

namespace convene::host {

/// How a participant acts and answers in one turn: as `live_turn` does.
struct turn_port {
  std::function<void(protocol::action, actors::retry_policy,
                     actors::attempt_function, actors::when_acted)>
    act;
  std::function<void(protocol::reply)> answer;
  /// The same with an executor of the application.
  std::function<void(const actors::executor&, std::string,
                     protocol::json::value, actors::when_acted)>
    perform;
  std::function<void(std::string)> cancel_session; ///< may be empty
};

[[nodiscard]] inline turn_port
port_of(const std::shared_ptr<actors::live_turn>& live) {
  return {
    .act =
      [live](protocol::action what, actors::retry_policy retry,
             actors::attempt_function how, actors::when_acted then) {
        live->act(std::move(what), retry, std::move(how), std::move(then));
      },
    .answer = [live](protocol::reply what) { live->answer(std::move(what)); },
    .perform =
      [live](const actors::executor& by, std::string position,
             protocol::json::value arguments, actors::when_acted then) {
        live->act(by, std::move(position), std::move(arguments),
                  std::move(then));
      },
    .cancel_session
    = [live](std::string reason) { live->cancel_session(std::move(reason)); }};
}

} // namespace convene::host
