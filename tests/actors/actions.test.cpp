// What participants do outside: by a behaviour that answers later.

#include "world.hpp"

#include <catch2/catch.hpp>

using namespace convene;
using namespace convene::actors;
using namespace convene::tests;

namespace {

using protocol::action;
using protocol::action_result;
using protocol::action_status;
using strings = std::vector<std::string>;

/// A behaviour that answers later, by a lambda.
struct later final : behaviour {
  using function = std::function<void(turn_request)>;

  explicit later(function how) : how_{std::move(how)} {
    // nop
  }

  answer respond(const turn_request&) override {
    return {.silent = true};
  }
  bool answers_later() const noexcept override {
    return true;
  }
  void begin(turn_request asked) override {
    how_(std::move(asked));
  }

private:
  function how_;
};

std::shared_ptr<behaviour> begins(later::function how) {
  return std::make_shared<later>(std::move(how));
}

action call(std::string position, bool repeatable = true) {
  return {.position = std::move(position),
          .kind = protocol::action_kind::mcp,
          .name = "files/read",
          .repeatable = repeatable};
}

/// What is outside: remembers the attempts that it was asked for.
struct outside {
  std::vector<attempt> begun;
  std::vector<when_acted> then;
  int cancelled = 0;

  /// Answers when told.
  attempt_function waits() {
    return [this](const attempt& which, when_acted told) {
      begun.push_back(which);
      then.push_back(std::move(told));
      return [this] { ++cancelled; };
    };
  }
  /// Answers at once, with the results in order, then the last again.
  attempt_function gives(std::vector<action_result> all) {
    return [this, all = std::move(all)](const attempt& which,
                                        const when_acted& told) {
      told(all[std::min(begun.size(), all.size() - 1)]);
      begun.push_back(which);
      return cancel_function{};
    };
  }
};

action_result output(protocol::json::value what) {
  return {.output = std::move(what), .usage = {.prompt_tokens = 10}};
}

action_result breaks(std::int64_t retry_after_ms = -1) {
  return {.status = action_status::failed,
          .error = {"unavailable", "not now", true, retry_after_ms}};
}

/// Does one action and answers with what came of it.
std::shared_ptr<behaviour> does_once(action what, attempt_function how,
                                     retry_policy retry = {}) {
  return begins([=](const turn_request& asked) {
    const auto live = asked.live;
    live->act(what, retry, how, [live](action_result result) {
      live->answer({.content = result.status == action_status::completed
                                 ? std::string{result.output.as_string()}
                                 : result.error.code});
    });
  });
}

/// Lets every attempt begin.
struct silent_link final : turn_link {
  strings sent;
  void write(protocol::reply) override {}
  void answer(protocol::reply) override {}
  bool begin(action what, std::uint32_t number) override {
    sent.push_back(what.position + " " + std::to_string(number));
    return true;
  }
  void end(std::string, std::uint32_t, action_result) override {}
  bool call_later(std::string, std::uint64_t, std::int64_t) override {
    return false;
  }
};

} // namespace

TEST_CASE("a behaviour that answers later acts, and then answers") {
  world all;
  outside there;
  ending end;
  all.begin({does_once(call("1"), there.waits())}, end);
  all.run();
  REQUIRE(there.then.size() == 1);
  CHECK(all.event_types().back() == "action_started");
  CHECK(there.begun[0].number == 1);
  CHECK(there.begun[0].timeout_ms <= 30'000);
  CHECK(there.begun[0].timeout_ms > 20'000);
  CHECK_THAT(there.begun[0].idempotency_key,
             Catch::StartsWith(all.told("MAPTurnDispatched", "token_id")[0]
                               + ":1:"));
  CHECK_FALSE(end);
  there.then[0](output("found"));
  all.run();
  CHECK(how(end) == "all_had_a_turn");
  CHECK(all.event_types()[5] == "action_ended");
  CHECK((*end)->counts.usage.prompt_tokens == 10);
  CHECK((*end)->talk.entries().back().content == "found");
  CHECK(there.cancelled == 0);
}

TEST_CASE("those who are asked by one broadcast act under keys of their own") {
  world all;
  outside there;
  ending end;
  all.begin({says("asks"), does_once(call("1"), there.gives({output("b")})),
             does_once(call("1"), there.gives({output("c")}))},
            end, {}, all_at_once);
  all.run();
  CHECK(how(end) == "all_were_asked");
  REQUIRE(there.begun.size() == 2);
  const auto token = all.told("action_started", "token_id")[0];
  CHECK(all.told("action_started", "token_id")[1] == token);
  CHECK_THAT(there.begun[0].idempotency_key,
             Catch::StartsWith(token + "/1:1:"));
  CHECK_THAT(there.begun[1].idempotency_key,
             Catch::StartsWith(token + "/2:1:"));
}

TEST_CASE("transient failures are tried again later, under the same key") {
  world all;
  outside there;
  ending end;
  all.begin({does_once(call("1"),
                       there.gives({breaks(), breaks(3000), output("ok")}),
                       {.attempts = 3, .first_delay_ms = 1000})},
            end);
  all.run();
  CHECK(there.begun.size() == 1);
  all.pass(499);
  CHECK(there.begun.size() == 1);
  all.pass(501);
  CHECK(there.begun.size() == 2);
  all.pass(2499);
  CHECK(there.begun.size() == 2);
  all.pass(501);
  CHECK(how(end) == "all_had_a_turn");
  REQUIRE(there.begun.size() == 3);
  CHECK(there.begun[2].number == 3);
  CHECK(there.begun[2].idempotency_key == there.begun[0].idempotency_key);
  CHECK(all.told("action_ended", "position") == strings{"1", "1", "1"});
}

TEST_CASE("what fails for good, or too often, is not tried again") {
  const auto attempts = [](action_result result, retry_policy retry) {
    world all;
    outside there;
    ending end;
    all.begin({does_once(call("1"), there.gives({std::move(result)}), retry)},
              end);
    all.pass(5000);
    CHECK(how(end) == "all_had_a_turn");
    return there.begun.size();
  };
  CHECK(attempts(breaks(), {.attempts = 2, .first_delay_ms = 100}) == 2);
  auto final = breaks();
  final.error.transient = false;
  CHECK(attempts(final, {.attempts = 2, .first_delay_ms = 100}) == 1);
  // Not before the turn closes.
  CHECK(attempts(breaks(40'000), {.attempts = 2}) == 1);
}

TEST_CASE("what is not repeatable begins once its start is durable") {
  world all;
  outside there;
  ending end;
  all.begin({does_once(call("1", false), there.waits())}, end);
  all.sink.keeps_later = true;
  all.run();
  CHECK(all.event_types().back() == "action_started");
  CHECK(there.begun.empty());
  all.sink.keep();
  all.run();
  CHECK(there.begun.size() == 1);
  all.sink.keeps_later = false;
  there.then[0](output("sent"));
  all.run();
  CHECK(how(end) == "all_had_a_turn");
}

TEST_CASE("what waits to begin does not begin after its turn") {
  world all;
  outside there;
  ending end;
  all.begin({does_once(call("1", false), there.waits()), says("two")}, end,
            {.turn_timeout_ms = 50});
  all.sink.keeps_later = true;
  all.pass(50);
  CHECK(all.told("MAPTurnCompleted", "status").front() == "timed_out");
  all.sink.keep();
  all.run();
  CHECK(there.begun.empty());
}

TEST_CASE("a turn that closes cancels what is under way, and tells") {
  world all;
  outside there;
  ending end;
  int told = 0;
  std::shared_ptr<live_turn> kept;
  all.begin({begins([&](const turn_request& asked) {
               kept = asked.live;
               kept->when_over([&] { ++told; });
               kept->act(call("1"), {}, there.waits(),
                         [](const action_result&) { FAIL("nobody waits"); });
             }),
             says("two")},
            end, {.turn_timeout_ms = 50});
  all.pass(50);
  CHECK(there.cancelled == 1);
  CHECK(told == 1);
  CHECK(kept->is_over());
  CHECK_FALSE(kept->answer({}));
  there.then[0](output("late"));
  kept->act(call("2"), {}, there.waits(),
            [](const action_result&) { FAIL("nobody waits"); });
  all.run();
  CHECK(there.begun.size() == 1);
  CHECK(how(end) == "all_had_a_turn");
  const auto types = all.event_types();
  CHECK(types[5] == "action_ended");
  CHECK(types[6] == "MAPTurnCompleted");
}

TEST_CASE("an answer cancels what is under way") {
  world all;
  outside there;
  ending end;
  all.begin({begins([&](const turn_request& asked) {
              asked.live->act(call("1"), {}, there.waits(),
                              [](const action_result&) {
                                FAIL("nobody waits");
                              });
              there.then.push_back([live = asked.live](const action_result&) {
                CHECK(live->answer({.content = "enough"}));
                CHECK_FALSE(live->answer({.content = "again"}));
              });
            })},
            end);
  all.run();
  there.then[0]({});
  all.run();
  CHECK(there.cancelled == 1);
  CHECK(how(end) == "all_had_a_turn");
  CHECK(all.told("MAPTurnCompleted", "status") == strings{"completed"});
}

TEST_CASE("an attempt that throws has failed, a behaviour that throws, too") {
  world all;
  ending end;
  all.begin(
    {does_once(call("1"),
               [](const attempt&, const when_acted&) -> cancel_function {
                 throw std::runtime_error{"no such thing"};
               }),
     begins([](const turn_request&) { throw std::runtime_error{"unable"}; })},
    end);
  all.run();
  CHECK(how(end) == "all_had_a_turn");
  CHECK((*end)->talk.entries().back().content == "attempt_threw");
  CHECK(all.told("MAPTurnCompleted", "status")
        == strings{"completed", "failed"});
}

TEST_CASE("what the session refuses fails with its code") {
  world all;
  outside there;
  ending end;
  session::options with;
  with.budget.tokens = 10;
  strings codes;
  all.begin({begins([&](const turn_request& asked) {
              const auto live = asked.live;
              const auto note = [&](const action_result& result) {
                codes.push_back(result.error.code);
              };
              live->act(call("1"), {}, there.waits(), note);
              live->act(call("1"), {}, there.waits(), note);
              live->act(call(""), {}, there.waits(), note);
              there.then.push_back([=, &there](const action_result&) {
                live->act(call("2"), {}, there.waits(),
                          [live](const action_result& result) {
                            live->answer({.content = result.error.code});
                          });
              });
            })},
            end, with);
  all.run();
  CHECK(codes == strings{"action_open", "invalid_action"});
  REQUIRE(there.then.size() == 2);
  there.then[1](output("costs"));
  there.then[0]({});
  all.run();
  CHECK(codes.back().empty());
  CHECK(how(end) == "budget_tokens");
  CHECK((*end)->talk.entries().back().content == "budget_exhausted");
  CHECK(all.told("MAPTurnCompleted", "status") == strings{"completed"});
}

TEST_CASE("a request whose answers are not looked at begins no action") {
  const auto token = [] {
    world all;
    ending end;
    all.begin({says("one")}, end);
    all.run();
    return *protocol::parse_uuid(all.told("MAPTurnDispatched", "token_id")[0]);
  }();
  world all;
  outside there;
  ending end;
  all.change = [&](session_setup& setup) {
    setup.quarantined.emplace(token, "it failed the actor before");
  };
  all.begin({does_once(call("1"), there.waits())}, end);
  all.run();
  CHECK(there.begun.empty());
  CHECK(all.told("MAPTurnCompleted", "status") == strings{"failed"});
  CHECK(how(end) == "all_had_a_turn");
}

TEST_CASE("recorded actions answer those of a request that is made again") {
  outside there;
  session::request asked{.token = {1, 2}};
  const auto done = [](std::string position, bool ended, action_result result,
                       bool repeatable = true) {
    return session::recorded_action{.what = call(std::move(position),
                                                 repeatable),
                                    .attempt = 1,
                                    .ended = ended,
                                    .result = std::move(result)};
  };
  asked.actions = session::recorded_actions{
    .first_token = {3, 4},
    .all = {done("1", true, output("known")), done("2", false, {}),
            done("3", false, {}, false), done("4", true, breaks())}};
  const auto link = std::make_shared<silent_link>();
  live_turn live{link, 0, asked, 10'000};
  strings came;
  const auto act = [&](action what, std::uint32_t attempts = 1) {
    live.act(std::move(what), {.attempts = attempts},
             there.gives({output("new")}), [&](const action_result& result) {
               came.push_back(result.error.code.empty()
                                ? std::string{result.output.as_string()}
                                : result.error.code);
             });
  };
  act(call("1"));
  act(call("2"));
  act(call("3", false));
  act(call("4"));
  act(call("4"), 2);
  auto changed = call("1");
  changed.arguments = 7;
  act(changed);
  CHECK(came
        == strings{"known", "new", "outcome_unknown", "unavailable", "new",
                   "action_changed"});
  CHECK(link->sent == strings{"2 2", "4 2"});
  REQUIRE(there.begun.size() == 2);
  CHECK_THAT(there.begun[0].idempotency_key,
             Catch::StartsWith(to_string(protocol::uuid{3, 4}) + ":2:"));
}

TEST_CASE("a key is for one question, and the same whenever it is asked") {
  const auto key_of = [](const action& what) {
    std::string key;
    live_turn live{std::make_shared<silent_link>(), 0,
                   session::request{.token = {1, 2}}, 10'000};
    live.act(
      what, {},
      [&](const attempt& which, const when_acted&) {
        key = which.idempotency_key;
        return cancel_function{};
      },
      [](const action_result&) {});
    return key;
  };
  const auto asked = call("1");
  CHECK_FALSE(key_of(asked).empty());
  CHECK(key_of(asked) == key_of(asked));
  auto other = asked;
  other.arguments = "other";
  CHECK(key_of(other) != key_of(asked));
  other = asked;
  other.question = "other";
  CHECK(key_of(other) != key_of(asked));
}
