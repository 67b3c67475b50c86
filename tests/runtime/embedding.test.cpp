#include "sample.hpp"

#include <catch2/catch.hpp>

#include <future>
#include <latch>
#include <memory>
#include <optional>

using namespace convene;
using namespace convene::tests;

namespace {

constexpr std::chrono::milliseconds long_enough{60'000};

session_setup only(participant who) {
  return {.participants = {std::move(who)}, .task = "work"};
}

std::string rule_of(const result<session_result>& ended) {
  return ended ? "ended" : ended.error().rule;
}

} // namespace

TEST_CASE("closing with a time waits for functions, and for what they hold") {
  std::latch asked{1};
  std::latch over{1};
  auto held = std::make_shared<bool>(false);
  const std::weak_ptr<bool> watched = held;
  convene::runtime rt;
  const auto session
    = rt.start(only(agent("slow", "role", [&, held](const turn_request& turn) {
        turn.live->when_over([&] { over.count_down(); });
        asked.count_down();
        over.wait();
        std::this_thread::sleep_for(std::chrono::milliseconds{20});
        *held = true;
        return reply{};
      })));
  held.reset();
  asked.wait();
  REQUIRE(rt.close(long_enough));
  CHECK(watched.expired());
  CHECK(how(session.await()) == "cancelled");
}

TEST_CASE("closing names the functions that do not return in time") {
  std::latch asked{2};
  std::promise<void> enough;
  const auto told = enough.get_future().share();
  const auto waits = [&](const turn_request&) {
    asked.count_down();
    told.wait();
    return reply{};
  };
  convene::runtime rt;
  const auto first = rt.start(only(agent("ann", "role", waits)));
  const auto second = rt.start(only(agent("bob", "role", waits)));
  asked.wait();
  const auto closed = rt.close(std::chrono::milliseconds{0});
  REQUIRE_FALSE(closed);
  CHECK(closed.error().rule == "functions_running");
  for (const auto& part :
       {std::string{"ann"}, std::string{"bob"}, first.id(), second.id()})
    CHECK(closed.error().message.find(part) != std::string::npos);
  enough.set_value();
  CHECK(rt.close(long_enough));
}

TEST_CASE("a function that would wait for itself is refused") {
  convene::runtime rt;
  std::promise<session_handle> started;
  const auto own = started.get_future().share();
  std::string rule;
  SECTION("a quick one, whatever session it awaits") {
    const auto session
      = rt.start(only(quick_agent("a", "role", [&](const turn_request&) {
          rule = rule_of(own.get().await());
          return reply{};
        })));
    started.set_value(session);
    REQUIRE(session.await());
    CHECK(rule == "await_inside");
  }
  SECTION("a quick one with a limit") {
    const auto session
      = rt.start(only(quick_agent("a", "role", [&](const turn_request&) {
          CHECK_FALSE(own.get().await_for(std::chrono::milliseconds{0}));
          rule = rule_of(own.get().await_for(long_enough).value());
          return reply{};
        })));
    started.set_value(session);
    REQUIRE(session.await());
    CHECK(rule == "await_inside");
  }
  SECTION("an asynchronous one") {
    const auto session = rt.start(only(
      async_agent("a", "role", [&](const turn_request&, const responder& to) {
        rule = rule_of(own.get().await());
        to.answer({});
      })));
    started.set_value(session);
    REQUIRE(session.await());
    CHECK(rule == "await_inside");
  }
  SECTION("a blocking one that awaits its own session") {
    const auto session
      = rt.start(only(agent("a", "role", [&](const turn_request& asked) {
          rule = rule_of(own.get().await_in(asked));
          return reply{};
        })));
    started.set_value(session);
    REQUIRE(session.await());
    CHECK(rule == "await_inside");
  }
  SECTION("one that closes and waits") {
    const auto session
      = rt.start(only(agent("a", "role", [&](const turn_request&) {
          const auto closed = rt.close(long_enough);
          rule = closed ? "closed" : closed.error().rule;
          return reply{};
        })));
    REQUIRE(session.await());
    CHECK(rule == "await_inside");
  }
}

TEST_CASE("a participant without a function keeps its session from starting") {
  convene::runtime rt;
  auto setup = two_in(mode::round_robin);
  SECTION("none was given") {
    setup.participants[1].respond = nullptr;
  }
  SECTION("an empty one was given") {
    setup.participants[1] = agent("b", "role-b", nullptr);
  }
  SECTION("an empty asynchronous one was given") {
    setup.participants[1] = async_agent("b", "role-b", {});
  }
  const auto refused = rt.start(setup).refused();
  REQUIRE(refused);
  CHECK(refused->rule == "participant_unbound");
  CHECK(refused->value == "b");
}

TEST_CASE("an empty function for a scenario's participant is refused") {
  convene::runtime rt;
  const auto session
    = rt.start(simulated_in(mode::round_robin, 1),
               {.functions = {{"a", agent("a", "", nullptr)}}});
  CHECK(rule_of(session.await()) == "participant_unbound");
}

TEST_CASE("why a session did not start is known at once") {
  convene::runtime rt;
  const auto refused = rt.start(session_setup{.task = "nobody"});
  REQUIRE(refused.refused());
  CHECK(refused.refused()->rule == refused.await().error().rule);
  const auto started = rt.start(two_in(mode::pair));
  CHECK_FALSE(started.refused());
  REQUIRE(started.await());
  CHECK_FALSE(started.refused());
}
