#include "asked.hpp"

#include <catch2/catch.hpp>
#include <convene/actors/behaviours/function.hpp>

#include <stdexcept>

using namespace convene;
using namespace convene::actors;

namespace {

protocol::reply reply_of(reply_function ask) {
  return function_behaviour{std::move(ask)}.respond(asked::turn("it")).reply;
}

protocol::reply threw(std::string what) {
  return {.status = protocol::reply_status::failed,
          .error = {"behaviour_threw", std::move(what)}};
}

} // namespace

TEST_CASE("a function answers with what it returns") {
  const auto reply = reply_of([](const turn_request& turn) {
    return protocol::reply{.content = "patch for: " + turn.task};
  });
  CHECK(reply == protocol::reply{.content = "patch for: it"});
}

TEST_CASE("a function may block unless it is said not to") {
  const auto ask = [](const turn_request&) { return protocol::reply{}; };
  CHECK(function_behaviour{ask}.blocks());
  CHECK_FALSE(function_behaviour(ask, blocking::no).blocks());
}

TEST_CASE("a function that throws has failed") {
  CHECK(reply_of([](const turn_request&) -> protocol::reply {
          throw std::runtime_error{"no network"};
        })
        == threw("no network"));
  CHECK(reply_of([](const turn_request&) -> protocol::reply { throw 1; })
        == threw("something other than std::exception"));
  CHECK(reply_of(nullptr).error.code == "behaviour_threw");
}
