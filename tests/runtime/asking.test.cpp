#include "sample.hpp"

#include <catch2/catch.hpp>

#include <atomic>
#include <exception>
#include <future>
#include <stdexcept>
#include <thread>

using namespace convene;
using namespace convene::tests;

namespace {

session_setup only(participant who, std::uint32_t rounds = 1) {
  session_setup made{.participants = {std::move(who)}, .task = "work"};
  made.options.rounds = rounds;
  return made;
}

/// A coroutine without a result.
struct detached {
  struct promise_type {
    detached get_return_object() {
      return {};
    }
    std::suspend_never initial_suspend() noexcept {
      return {};
    }
    std::suspend_never final_suspend() noexcept {
      return {};
    }
    void return_void() {}
    void unhandled_exception() {
      std::terminate();
    }
  };
};

detached wait_for(session_handle session, std::promise<std::string>& into) {
  into.set_value(how(co_await session));
}

} // namespace

TEST_CASE("a session's state shows the open turn, then the end") {
  std::promise<void> asked;
  std::promise<void> go_on;
  const auto told = go_on.get_future().share();
  convene::runtime rt;
  const auto session
    = rt.start(only(agent("ann", "role", [&](const turn_request&) {
        asked.set_value();
        told.wait();
        return reply{.usage = {.prompt_tokens = 7, .cost_microusd = 3}};
      })));
  asked.get_future().wait();
  const auto during = session.state();
  CHECK(during.status == collab_status::active);
  CHECK_FALSE(during.ended);
  CHECK(during.turn_holder == "ann");
  CHECK(during.turns == 1);
  CHECK(during.open_requests == 1);
  CHECK(during.turn_started_at > 0);
  REQUIRE(rt.find(session.id()));
  CHECK(rt.find(session.id())->state().turns == 1);
  CHECK(rt.sessions().size() == 1);
  go_on.set_value();
  REQUIRE(session.await());
  const auto after = session.state();
  CHECK(after.status == collab_status::completed);
  CHECK(after.ended);
  CHECK(after.turn_holder.empty());
  CHECK(after.open_requests == 0);
  CHECK(after.usage == usage{.prompt_tokens = 7, .cost_microusd = 3});
  CHECK(after.last_at >= during.turn_started_at);
  CHECK_FALSE(rt.find(session.id()));
  CHECK(rt.sessions().empty());
}

TEST_CASE("the state of refused, cancelled and suspended sessions") {
  convene::runtime rt;
  const auto refused = rt.start(only({.participant_id = "nobody"}));
  CHECK(refused.state().ended);
  CHECK(refused.state().turns == 0);
  const auto queue = *request_queue::make();
  const auto session = rt.start(only(pull_agent("ann", "role", queue)));
  const auto asked = queue->next();
  REQUIRE(asked);
  SECTION("cancelled") {
    session.cancel("enough");
    REQUIRE(session.await());
    CHECK(session.state().status == collab_status::cancelled);
  }
  SECTION("left suspended") {
    rt.suspend_all("night");
    CHECK_FALSE(session.await());
    CHECK(session.state().status == collab_status::suspended);
  }
  CHECK(session.state().ended);
}

TEST_CASE("a state that is read while the session runs is of one moment") {
  convene::runtime rt;
  constexpr std::uint32_t rounds = 3'000;
  auto setup = only(quick_agent("ann", "role",
                                [](const turn_request&) {
                                  return reply{.usage = {.prompt_tokens = 1,
                                                         .completion_tokens = 1,
                                                         .cost_microusd = 1}};
                                }),
                    rounds);
  setup.options.max_turns = rounds;
  const auto session = rt.start(setup);
  std::uint32_t last = 0;
  std::size_t torn = 0;
  for (auto now = session.state(); !now.ended; now = session.state()) {
    const auto& used = now.usage;
    // Each turn but the open one has used one of each.
    const auto done = now.turns - now.open_requests;
    torn += used.prompt_tokens != used.completion_tokens
            || used.prompt_tokens != used.cost_microusd
            || used.prompt_tokens != done || now.turns < last;
    last = now.turns;
  }
  CHECK(torn == 0);
  REQUIRE(session.await());
  CHECK(session.state().turns == rounds);
}

TEST_CASE("what is called at the end of a session gets its result once") {
  const bool is_virtual = GENERATE(false, true);
  runtime_options options;
  if (is_virtual)
    options.seed = 1;
  convene::runtime rt{options};
  std::atomic<int> calls = 0;
  std::promise<std::string> seen;
  const auto session = rt.start(only(quick_agent("ann", "role", says("hi"))));
  session.on_end([&](const result<session_result>& ended) {
    ++calls;
    seen.set_value(how(ended));
    throw std::runtime_error{"no harm done"};
  });
  REQUIRE(session.await());
  CHECK(seen.get_future().get() == "rounds");
  // It has ended already.
  session.on_end([&](const result<session_result>&) { ++calls; });
  REQUIRE(rt.close());
  CHECK(calls == 2);
}

TEST_CASE("closing waits for what is called at the end of a session") {
  std::atomic<bool> is_done = false;
  convene::runtime rt;
  const auto queue = *request_queue::make();
  const auto session = rt.start(only(pull_agent("ann", "role", queue)));
  session.on_end([&](const result<session_result>&) {
    std::this_thread::sleep_for(std::chrono::milliseconds{50});
    is_done = true;
  });
  const auto asked = queue->next();
  REQUIRE(rt.close());
  CHECK(is_done);
}

TEST_CASE("the end of a session starts the next one") {
  const bool is_virtual = GENERATE(false, true);
  runtime_options options;
  if (is_virtual)
    options.seed = 1;
  convene::runtime rt{options};
  std::promise<session_handle> next;
  const auto first = rt.start(only(quick_agent("ann", "role", says("hi"))));
  first.on_end([&](const auto&) {
    next.set_value(rt.start(only(quick_agent("bob", "role", says("ho")))));
  });
  REQUIRE(first.await());
  CHECK(how(next.get_future().get().await()) == "rounds");
}

TEST_CASE("a coroutine waits for sessions that run, ended or were refused") {
  convene::runtime rt;
  const auto queue = *request_queue::make();
  const auto session = rt.start(only(pull_agent("ann", "role", queue)));
  std::promise<std::string> ended;
  auto seen = ended.get_future();
  wait_for(session, ended);
  CHECK(seen.wait_for(std::chrono::seconds{0}) == std::future_status::timeout);
  const auto asked = queue->next();
  REQUIRE(asked);
  CHECK(asked->live->answer({.content = "done"}));
  CHECK(seen.get() == "rounds");
  std::promise<std::string> again;
  wait_for(session, again);
  CHECK(again.get_future().get() == "rounds");
  std::promise<std::string> refused;
  const auto never = rt.start(only({.participant_id = "nobody"}));
  wait_for(never, refused);
  CHECK(refused.get_future().get() == how(never.await()));
}

TEST_CASE(
  "a loop drives virtual time, and it stands still for what is pulled") {
  runtime_options options;
  options.seed = 1;
  convene::runtime rt{options};
  const auto begin = rt.now();
  const auto thinks = timed_agent("ann", "role", [](const turn_request&) {
    return timed_reply{.reply = {}, .delay_ms = 1'000};
  });
  const auto session = rt.start(only(thinks, 3));
  std::vector<std::uint32_t> turns;
  for (int frame = 0; frame < 4; ++frame) {
    CHECK(rt.run_until(begin + frame * 1'000 + 500)
          == begin + frame * 1'000 + 500);
    turns.push_back(session.state().turns);
  }
  CHECK(turns == std::vector<std::uint32_t>{1, 2, 3, 3});
  CHECK(session.state().ended);
  CHECK(rt.run_until(begin) == rt.now()); // never back

  const auto queue = *request_queue::make();
  const auto pulled = rt.start(only(pull_agent("bob", "role", queue)));
  const auto before = rt.now();
  CHECK(rt.run_until(before + 60'000) == before);
  const auto asked = queue->next_for(std::chrono::milliseconds{0});
  REQUIRE(asked);
  CHECK(asked->live->answer({}));
  CHECK(rt.run_until(before + 60'000) == before + 60'000);
  CHECK(pulled.state().status == collab_status::completed);

  convene::runtime real;
  CHECK(real.run_until(begin).error().rule == "real_time");
}
