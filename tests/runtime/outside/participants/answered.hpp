#pragma once

#include <convene/actors/behaviours/behaviour.hpp>

#include <future>
#include <memory>
#include <string>
#include <utility>

namespace convene::test {

/// A behaviour's answer to a request, without a session.
inline protocol::reply answer_of(actors::behaviour& who,
                                 actors::turn_request asked) {
  std::promise<protocol::reply> told;
  asked.live = std::make_shared<actors::live_turn>(
    [&told](protocol::reply what) { told.set_value(std::move(what)); });
  who.begin(asked);
  auto made = told.get_future().get();
  return made;
}

inline actors::turn_request a_turn_of(std::string task) {
  actors::turn_request asked;
  asked.session_id = "s-1";
  asked.participant = "tester";
  asked.task = std::move(task);
  asked.turn = 1;
  asked.token = "t-1";
  return asked;
}

} // namespace convene::test
