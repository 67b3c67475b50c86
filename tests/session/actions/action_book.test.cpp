#include <catch2/catch.hpp>
#include <convene/session/actions/action_book.hpp>
#include <support/part_rig.hpp>

#include <cstdint>
#include <limits>
#include <set>
#include <string>

using namespace convene;
using namespace convene::session;
using namespace convene::test;
using protocol::action;
using protocol::action_kind;
using protocol::action_result;
using protocol::action_status;

namespace {

/// A journal with participants, and the actions of those.
struct bench : part_rig {
  bench() : part_rig{make_spec(protocol::mode::swarm, {"a", "b"})} {}

  action_book book{who, log, scenario.options.budget};

  /// The notices since the last call, as "what position: reason".
  texts take_notices() {
    texts made;
    for (const auto& each : std::exchange(out.notices, {}))
      made.push_back(each.what + " " + each.position
                     + (each.reason.empty() ? "" : ": " + each.reason));
    return made;
  }
};

constexpr held_request of_a{0, {1, 2}};
constexpr held_request of_b{1, {1, 2}};

action call(std::string position, std::string name = "files/read",
            bool repeatable = true) {
  return {.position = std::move(position),
          .kind = action_kind::mcp,
          .name = std::move(name),
          .arguments = {{"path", "x"}},
          .repeatable = repeatable};
}

action_result gives(protocol::json::value output = "done",
                    protocol::usage used = {}) {
  return {.output = std::move(output), .usage = used};
}

action_result breaks(bool transient = true) {
  return {.status = action_status::failed,
          .error = {"unavailable", "not now", transient}};
}

} // namespace

TEST_CASE("an attempt is on the log when it starts and when it ends") {
  bench on;
  on.book.begin(of_a, 7, call("1.0"), 1, true);
  on.pass(40);
  on.book.end(of_a, "1.0", 1, gives("done", {1, 2, 3}));
  const auto events = on.take_events();
  REQUIRE(events.size() == 3);
  CHECK(events[0].type == "action_started");
  CHECK(events[0].at("participant_id") == "a");
  CHECK(events[0].at("turn_number") == "7");
  CHECK(events[0].at("arguments/path") == "x");
  CHECK(events[0].at("repeatable") == "true");
  CHECK(protocol::text_of(events[0].whole, "executor_kind") == "tool");
  CHECK(protocol::text_of(events[0].whole, "status") == "running");
  CHECK(events[1].type == "action_ended");
  CHECK(events[1].at("result/output") == "done");
  CHECK(events[1].at("duration_ms") == "40");
  CHECK(events[1].at("input") == "action");
  CHECK(protocol::text_of(events[0].whole, "execution_id")
        == protocol::text_of(events[1].whole, "execution_id"));
  CHECK(events[2].type == "usage_recorded");
  CHECK(on.log.counts().usage == protocol::usage{1, 2, 3});
  CHECK(on.book.unsettled() == protocol::usage{1, 2, 3});
  on.book.close(of_a, "answered");
  CHECK(on.take_events().empty());
  CHECK(on.log.counts().usage == protocol::usage{1, 2, 3});
  CHECK(on.book.unsettled() == protocol::usage{});
  CHECK(on.book.empty());
}

TEST_CASE("each attempt is an execution of its own") {
  bench on;
  std::set<std::string> executions;
  for (const auto* position : {"1.0", "2.0"})
    for (std::uint32_t attempt = 1; attempt <= 2; ++attempt) {
      on.book.begin(of_a, 1, call(position), attempt, true);
      on.book.end(of_a, position, attempt, breaks());
      const auto events = on.take_events();
      REQUIRE(events.size() == 2);
      const std::string id{protocol::text_of(events[0].whole, "execution_id")};
      CHECK(protocol::text_of(events[1].whole, "execution_id") == id);
      CHECK(executions.insert(id).second);
    }
}

TEST_CASE("who begins is told, of what is not repeatable once it is durable") {
  bench on;
  on.book.begin(of_a, 1, call("1.0"), 1, true);
  on.book.begin(of_a, 1, call("1.1", "mail/send", false), 1, true);
  REQUIRE(on.out.notices.size() == 2);
  CHECK_FALSE(on.out.notices[0].when_durable);
  CHECK(on.out.notices[1].when_durable);
  CHECK(on.take_notices() == texts{"action_started 1.0", "action_started 1.1"});
}

TEST_CASE("attempts at a position count up and stay the same action") {
  bench on;
  const auto refusal = [&](action what, std::uint32_t attempt) {
    on.out.notices.clear();
    on.book.begin(of_a, 1, std::move(what), attempt, true);
    return on.take_notices().front();
  };
  CHECK(refusal(call("1.0"), 2) == "action_refused 1.0: attempt_out_of_order");
  CHECK(refusal(call("1.0"), 1) == "action_started 1.0");
  on.book.end(of_a, "1.0", 1, breaks());
  CHECK(refusal(call("1.0"), 1) == "action_refused 1.0: attempt_out_of_order");
  CHECK(refusal(call("1.0", "files/write"), 2)
        == "action_refused 1.0: action_changed");
  auto other = call("1.0");
  other.arguments = {{"path", "y"}};
  CHECK(refusal(other, 2) == "action_refused 1.0: action_changed");
  other = call("1.0");
  other.kind = action_kind::function;
  CHECK(refusal(other, 2) == "action_refused 1.0: action_changed");
  CHECK(refusal(call("1.0"), 2) == "action_started 1.0");
  on.book.end(of_a, "1.0", 2, gives());
  CHECK(refusal(call("1.0"), 3) == "action_refused 1.0: action_completed");
  CHECK(on.take_events("attempt")
        == texts{"action_started: 1", "action_ended: 1", "action_started: 2",
                 "action_ended: 2"});
  CHECK(on.log.counts().refused == 6);
}

TEST_CASE("with the budget used up nothing begins, and the log has no trace") {
  bench on;
  on.book.begin(of_a, 1, call("1.0"), 1, false);
  CHECK(on.take_notices() == texts{"action_refused 1.0: budget_exhausted"});
  CHECK(on.take_events().empty());
  CHECK(on.book.empty());
  CHECK(on.log.counts().refused == 1);
}

TEST_CASE("a late, second or unknown end changes nothing and is counted") {
  bench on;
  on.book.begin(of_a, 1, call("1.0"), 1, true);
  on.take_events();
  on.book.end(of_a, "1.1", 1, gives());
  on.book.end(of_a, "1.0", 2, gives());
  on.book.end(of_b, "1.0", 1, gives());
  CHECK(on.take_events().empty());
  on.book.end(of_a, "1.0", 1, gives());
  CHECK(on.take_events().size() == 1);
  on.book.end(of_a, "1.0", 1, gives());
  on.book.close(of_a, "answered");
  on.book.end(of_a, "1.0", 1, gives());
  CHECK(on.take_events().empty());
  CHECK(on.log.counts().refused == 5);
}

TEST_CASE("what an action used is on the log, with sums and what is left") {
  bench on;
  on.scenario.options.budget = {.tokens = 100, .cost_microusd = 2'000'000};
  auto asked = call("1");
  asked.kind = action_kind::model;
  asked.name = "small";
  on.book.begin(of_a, 7, std::move(asked), 1, true);
  const auto started = on.take_events().at(0);
  on.book.end(of_a, "1", 1, gives("done", {10, 5, 500'000}));
  const auto first = on.take_events().at(1);
  CHECK(first.type == "usage_recorded");
  CHECK(protocol::text_of(first.whole, "event_family") == "cost_budget");
  CHECK(protocol::json::serialize(first.payload)
        == R"({"participant_id":"a","role_id":"role-a","turn_number":7,)"
           R"("token_id":"00000000-0000-0001-0000-000000000002",)"
           R"("execution_id":")"
             + std::string{protocol::text_of(started.whole, "execution_id")}
             + R"(","position":"1","model":"small","tokens_used":15,)"
               R"("cost_usd":5E-1,"cumulative_tokens":15,)"
               R"("cumulative_cost_usd":5E-1,)"
               R"("budget_remaining":{"tokens":85,"cost_usd":1.5E0}})");
  // Another participant's tool: the sums are the session's.
  on.book.begin(of_b, 0, call("1"), 1, true);
  on.book.end(of_b, "1", 1, gives("done", {0, 1, 0}));
  const auto second = on.take_events().at(2);
  CHECK(second.at("participant_id") == "b");
  CHECK_FALSE(second.payload.contains("model"));
  CHECK_FALSE(second.payload.contains("turn_number"));
  CHECK(second.at("tokens_used") == "1");
  CHECK(second.at("cumulative_tokens") == "16");
  CHECK(second.at("budget_remaining/tokens") == "84");
}

TEST_CASE("without a budget nothing is said to be left of it") {
  bench on;
  on.book.begin(of_a, 1, call("1"), 1, true);
  on.book.end(of_a, "1", 1, gives("done", {1, 0, 0}));
  CHECK_FALSE(on.take_events().at(2).payload.contains("budget_remaining"));
}

TEST_CASE("each budget is told once, by the action that uses it up") {
  bench on;
  on.scenario.options.budget = {.tokens = 10, .cost_microusd = 30};
  const auto told = [&](const std::string& at, protocol::usage used) {
    on.book.begin(of_a, 1, call(at), 1, true);
    on.take_events();
    on.book.end(of_a, at, 1, gives("done", used));
    texts made;
    for (const auto& each : on.take_events())
      if (each.type == "budget_exceeded")
        made.push_back(each.at("budget") + " " + each.at("used") + "/"
                       + each.at("limit"));
    return made;
  };
  CHECK(told("1", {9, 0, 0}).empty());
  CHECK(told("2", {0, 3, 0}) == texts{"tokens 12/10"});
  CHECK(told("3", {1, 0, 30}) == texts{"cost_microusd 30/30"});
  CHECK(told("4", {1, 0, 30}).empty());
  bench both;
  both.scenario.options.budget = {.tokens = 1, .cost_microusd = 1};
  both.book.begin(of_a, 1, call("1"), 1, true);
  both.book.end(of_a, "1", 1, gives("done", {5, 0, 5}));
  CHECK(both.take_events("budget")
        == texts{"action_started: ", "action_ended: ", "usage_recorded: ",
                 "budget_exceeded: tokens", "budget_exceeded: cost_microusd"});
}

TEST_CASE("in a fork nothing is begun again that has not ended, open or left") {
  bench on;
  on.book.begin(of_a, 1, call("1.0"), 1, true);
  on.book.end(of_a, "1.0", 1, breaks());
  on.book.begin(of_a, 1, call("1.1"), 1, true);
  on.book.begin(of_b, 2, call("1.0"), 1, true);
  on.book.suspend(of_b, {.task = "it"});
  CHECK(on.book.bar_repeats());
  CHECK_FALSE(on.book.bar_repeats());
  constexpr held_request next{1, {1, 3}};
  CHECK_FALSE(
    on.book.take_up(next, 3, {.task = "it"})->all.at(0).what.repeatable);
  on.take_notices();
  on.book.begin(of_a, 1, call("1.0"), 2, true);
  on.book.begin(of_a, 1, call("1.1"), 2, true);
  on.book.begin(next, 3, call("1.0"), 2, true);
  CHECK(on.take_notices()
        == texts{"action_started 1.0", "action_refused 1.1: outcome_unknown",
                 "action_refused 1.0: outcome_unknown"});
}

TEST_CASE("what has ended, or nobody has begun, is not barred in a fork") {
  bench on;
  CHECK_FALSE(on.book.bar_repeats());
  on.book.begin(of_a, 1, call("1.0"), 1, true);
  on.book.end(of_a, "1.0", 1, gives());
  on.book.begin(of_a, 1, call("1.1", "mail/send", false), 1, true);
  CHECK_FALSE(on.book.bar_repeats());
}

TEST_CASE("a request that closes cancels what is under way, in order") {
  bench on;
  on.book.begin(of_a, 1, call("2.1"), 1, true);
  on.book.begin(of_a, 1, call("2.0"), 1, true);
  on.book.begin(of_a, 1, call("1.0"), 1, true);
  on.book.begin(of_b, 2, call("1.0"), 1, true);
  on.book.end(of_a, "1.0", 1, gives());
  on.take_events();
  on.book.close(of_a, "timed_out");
  auto events = on.take_events();
  REQUIRE(events.size() == 2);
  CHECK(events[0].at("position") == "2.1");
  CHECK(events[1].at("position") == "2.0");
  CHECK(events[0].at("result/status") == "cancelled");
  CHECK(events[0].at("result/error/code") == "timed_out");
  CHECK_FALSE(events[0].payload.contains("input"));
  CHECK(protocol::text_of(events[0].whole, "status") == "cancelled");
  on.book.close_all_of(1, "participant_lost");
  CHECK(on.take_events("participant_id") == texts{"action_ended: b"});
  CHECK(on.book.empty());
}

TEST_CASE("what is begun again while it is under way ends first") {
  bench on;
  on.book.begin(of_a, 1, call("1.0"), 1, true);
  on.book.begin(of_a, 1, call("1.0"), 2, true);
  const auto events = on.take_events();
  REQUIRE(events.size() == 3);
  CHECK(events[1].at("attempt") == "2");
  CHECK(events[2].type == "action_ended");
  CHECK(events[2].at("attempt") == "1");
  CHECK(events[2].at("result/error/code") == "begun_again");
  on.out.notices.clear();
  on.book.begin(of_a, 1, call("1.1", "mail/send", false), 1, true);
  on.book.begin(of_a, 1, call("1.1", "mail/send", false), 2, true);
  CHECK(on.take_notices()
        == texts{"action_started 1.1", "action_refused 1.1: outcome_unknown"});
}

TEST_CASE("a request that takes up a suspended one has its actions") {
  bench on;
  on.book.begin(of_a, 1, call("1.0"), 1, true);
  on.book.end(of_a, "1.0", 1, gives());
  on.book.begin(of_a, 1, call("1.1"), 1, true);
  on.book.suspend(of_a, {.step = 3, .task = "it"});
  CHECK(on.book.empty());
  CHECK(on.book.has_left());
  on.take_events();
  constexpr held_request next{0, {1, 3}};
  const auto taken = on.book.take_up(next, 2, {.step = 3, .task = "it"});
  CHECK(taken->first_token == of_a.token);
  REQUIRE(taken->all.size() == 2);
  CHECK(taken->all[0].ended);
  CHECK(taken->all[0].result.output == "done");
  CHECK_FALSE(taken->all[1].ended);
  CHECK_FALSE(on.book.has_left());
  on.out.notices.clear();
  on.book.begin(next, 2, call("1.0"), 2, true);
  on.book.begin(next, 2, call("1.1"), 2, true);
  CHECK(on.take_notices()
        == texts{"action_refused 1.0: action_completed", "action_started 1.1"});
  CHECK(on.take_events("turn_number") == texts{"action_started: 2"});
  // Suspended once more, they are still those of the first.
  on.book.suspend(next, {.step = 3, .task = "it"});
  CHECK(on.book.take_up({0, {1, 4}}, 3, {.step = 3, .task = "it"})->first_token
        == of_a.token);
}

TEST_CASE("for another task nothing is taken up, then or later") {
  bench on;
  on.book.begin(of_a, 1, call("1.0"), 1, true);
  on.book.suspend(of_a, {.task = "it"});
  CHECK(on.book.take_up({1, {1, 3}}, 2, {.task = "it"})->all.empty());
  CHECK(
    on.book
      .take_up({0, {1, 3}}, 2, {.kind = request_kind::decision, .task = "it"})
      ->all.empty());
  CHECK(on.book.has_left());
  CHECK(on.book.take_up({0, {1, 3}}, 2, {.task = "other"})->all.empty());
  CHECK_FALSE(on.book.has_left());
  CHECK(on.book.take_up({0, {1, 4}}, 3, {.task = "it"})->all.empty());
}

TEST_CASE("a request has so many attempts and so many bytes") {
  bench on;
  for (std::uint32_t i = 1; i <= actions_max; ++i) {
    on.book.begin(of_a, 1, call("1.0"), i, true);
    on.book.end(of_a, "1.0", i, breaks());
  }
  on.take_notices();
  on.book.begin(of_a, 1, call("1.1"), 1, true);
  CHECK(on.take_notices() == texts{"action_refused 1.1: actions_max"});
  const std::string large(1'000'000, 'x');
  std::uint32_t begun = 0;
  for (; begun < 200; ++begun) {
    const auto at = std::to_string(begun);
    on.book.begin(of_b, 1, call(at), 1, true);
    if (on.take_notices().front() != "action_started " + at)
      break;
    on.book.end(of_b, at, 1, gives(large.c_str()));
    on.out.events.clear();
  }
  CHECK(begun == 68);
}

TEST_CASE(
  "what is kept beside the log counts with its bytes, whatever it says") {
  for (const std::int64_t bytes :
       {std::int64_t{1} << 20, std::numeric_limits<std::int64_t>::max()}) {
    bench on;
    std::uint32_t begun = 0;
    for (; begun < 200; ++begun) {
      const auto at = std::to_string(begun);
      on.book.begin(of_b, 1, call(at), 1, true);
      if (on.take_notices().front() != "action_started " + at)
        break;
      on.book.end(of_b, at, 1,
                  gives({{"blob", std::string(64, 'a')}, {"bytes", bytes}}));
      on.out.events.clear();
    }
    CHECK(begun == (bytes == 1 << 20 ? 64 : 1));
  }
}

TEST_CASE("an action that is too large, too deep or nameless is refused") {
  bench on;
  auto large = call("1.0");
  large.arguments = std::string(1 << 20, 'x').c_str();
  on.book.begin(of_a, 1, std::move(large), 1, true);
  auto deep = call("1.0");
  deep.arguments = protocol::json::array{};
  for (int i = 0; i < 64; ++i)
    deep.arguments = protocol::json::array{std::move(deep.arguments)};
  on.book.begin(of_a, 1, std::move(deep), 1, true);
  on.book.begin(of_a, 1, call("1.0", ""), 1, true);
  on.book.begin(of_a, 1, call("1.0", "\xff"), 1, true);
  CHECK(on.take_notices()
        == texts{"action_refused 1.0: action_bytes_max",
                 "action_refused 1.0: action_depth_max",
                 "action_refused 1.0: invalid_action",
                 "action_refused 1.0: invalid_action"});
  CHECK(on.take_events().empty());
}

TEST_CASE("an output that is too large or deep fails the action by its name") {
  bench on;
  const auto code_of = [&](protocol::json::value output) {
    on.book.begin(of_a, 1, call("1.0"), 1, true);
    on.book.end(of_a, "1.0", 1, gives(std::move(output)));
    on.book.close(of_a, "answered");
    const auto ended = on.take_events().back();
    CHECK(ended.at("result/output").empty());
    return ended.at("result/status") + ": " + ended.at("result/error/code");
  };
  CHECK(code_of(std::string(1 << 20, 'x').c_str())
        == "failed: action_bytes_max");
  protocol::json::value deep = protocol::json::array{};
  for (int i = 0; i < 64; ++i)
    deep = protocol::json::array{std::move(deep)};
  CHECK(code_of(std::move(deep)) == "failed: action_depth_max");
  CHECK(code_of("\xff") == "failed: action_output_invalid");
}

TEST_CASE("an input that is undone has ended and begun nothing") {
  bench on;
  on.book.begin(of_a, 1, call("1.0"), 1, true);
  on.book.begin_input(true);
  on.book.end(of_a, "1.0", 1, gives());
  on.book.begin(of_a, 1, call("1.1"), 1, true);
  on.book.begin(of_b, 2, call("1.0"), 1, true);
  on.book.undo();
  on.take_events();
  on.book.close_all("session_ended");
  CHECK(on.take_events("position") == texts{"action_ended: 1.0"});
}
