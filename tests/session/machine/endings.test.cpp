#include <catch2/catch.hpp>
#include <support/policies.hpp>
#include <support/writing.hpp>

using namespace convene;
using namespace convene::session;
using namespace convene::test;
using protocol::mode;
using protocol::write_op;

namespace {

/// Participant a takes turn after turn, without end of its own.
rig alone(options with) {
  auto made = make_spec(mode::round_robin, {"a", "b"});
  made.options = std::move(with);
  made.options.rounds = 1000;
  made.options.turn_timeout_ms = 10'000;
  return rig::started(std::move(made), solo);
}

rig until(end_condition end) {
  return alone({.end = std::move(end)});
}

std::string observed(const rig& bench) {
  return bench.machine().result()->observed;
}

} // namespace

TEST_CASE("turns end the session after the last of them, not in the next") {
  auto bench = until(when::turns(2));
  bench.answer("a");
  CHECK(bench.ending().empty());
  bench.answer("a");
  CHECK(bench.ending() == "completed: turns");
  CHECK(observed(bench) == "2");
  CHECK(bench.turns() == texts{"completed", "completed"});
  const auto ended = bench.events.back();
  CHECK(ended.type == "MAPSessionCompleted");
  CHECK(ended.at("stop_reason/condition") == "turns");
  CHECK(ended.at("stop_reason/limit") == "2");
}

TEST_CASE("a round is over when all who can act have had a turn") {
  auto made = make_spec(mode::swarm, {"a", "b", "c"});
  made.options.rounds = 1000;
  made.options.end = when::rounds(2);
  auto bench = rig::started(std::move(made), everybody);
  bench.answer("a");
  bench.answer("a");
  bench.answer("b");
  bench.answer("c");
  CHECK(bench.machine().ended() == false);
  bench.answer("a");
  // Whoever is gone is not waited for.
  bench.lose("c");
  CHECK(bench.ending().empty());
  bench.answer("b");
  CHECK(bench.ending() == "completed: rounds");
}

TEST_CASE("the duration counts without the time that was suspended") {
  auto bench = until(when::duration_ms(500));
  CHECK(bench.machine().next_deadline() == bench.now + 500);
  bench.pass(400);
  bench.feed(suspend{});
  bench.pass(10'000);
  bench.feed(resume{});
  CHECK(bench.machine().next_deadline() == bench.now + 100);
  bench.pass(99);
  CHECK(bench.ending().empty());
  bench.pass(1);
  CHECK(bench.ending() == "completed: duration_ms");
  CHECK(bench.turns().back() == "cancelled");
}

TEST_CASE("idle time counts from the last reply") {
  auto bench = until(when::idle_ms(300));
  bench.pass(299);
  bench.answer("a");
  CHECK(bench.machine().next_deadline() == bench.now + 300);
  bench.pass(299);
  CHECK(bench.ending().empty());
  bench.pass(1);
  CHECK(bench.ending() == "completed: idle_ms");
}

TEST_CASE("a text ends the session when the right role says it") {
  const auto role = GENERATE(std::string{}, std::string{"role-a"},
                             std::string{"a"});
  auto bench = until(when::text("^APPROVED\\b", role));
  bench.answer("a", "not APPROVED");
  CHECK(bench.ending().empty());
  bench.answer("a", "APPROVED: fine");
  CHECK(bench.ending() == "completed: text");
  CHECK(observed(bench) == "a: APPROVED: fine");
}

TEST_CASE("a text of another role, or in a reply that failed, ends nothing") {
  auto other = until(when::text("APPROVED", "role-b"));
  other.answer("a", "APPROVED");
  CHECK(other.ending().empty());
  auto failed = until(when::text("APPROVED"));
  auto reply = fails();
  reply.content = "APPROVED";
  failed.answer("a", reply);
  CHECK(failed.ending().empty());
}

TEST_CASE("votes are counted among those who can act") {
  const auto [votes, needed]
    = GENERATE(table<end_condition, int>({{when::all_votes(), 4},
                                          {when::majority_votes(), 3},
                                          {when::votes(0.5), 2},
                                          {when::votes(0.01), 1}}));
  auto made = make_spec(mode::swarm, {"a", "b", "c", "d"});
  made.options.rounds = 1000;
  made.options.end = votes;
  auto bench = rig::started(std::move(made), everybody);
  const texts names{"a", "b", "c", "d"};
  for (int n = 0; n < needed; ++n) {
    CHECK(bench.ending().empty());
    bench.answer(names[static_cast<std::size_t>(n)], {.end = true});
  }
  CHECK(bench.ending() == "completed: end_votes");
}

TEST_CASE("a vote that is taken back does not count") {
  auto bench = until(when::majority_votes());
  bench.answer("a", {.end = true});
  bench.answer("a");
  CHECK(bench.ending().empty());
}

TEST_CASE("a plan is complete when no step is left to do") {
  // Takes the steps one by one, and would go on for ever.
  const routing_policy steps{
    .name = "steps", .needs_plan = true, .decide = [](const view& now, memory) {
      if (now.busy > 0)
        return ruling{};
      const auto& ready = now.plan->ready();
      return ruling{{dispatch{.participant = 0,
                              .step = ready.empty() ? no_step : ready.front()}},
                    {}};
    }};
  auto made = make_spec(mode::round_robin, {"a"});
  made.plan = make_plan({{.description = "one"}, {.description = "two"}});
  made.options.end = when::plan_complete();
  auto bench = rig::started(std::move(made), steps);
  bench.answer("a");
  CHECK(bench.ending().empty());
  bench.answer("a");
  CHECK(bench.ending() == "completed: plan_complete");
  CHECK(observed(bench) == "2");
}

TEST_CASE("tokens and money end the session by condition or by budget") {
  const protocol::reply dear{.usage = {.prompt_tokens = 30,
                                       .completion_tokens = 20,
                                       .cost_microusd = 7}};
  const auto [with, how] = GENERATE(table<options, std::string>(
    {{{.end = when::tokens(100)}, "completed: tokens"},
     {{.end = when::cost_microusd(14)}, "completed: cost_microusd"},
     {{.budget = {.tokens = 100}}, "cancelled: budget_tokens"},
     {{.budget = {.cost_microusd = 14}}, "cancelled: budget_cost_microusd"}}));
  auto bench = alone(with);
  bench.answer("a", dear);
  CHECK(bench.ending().empty());
  bench.answer("a", dear);
  CHECK(bench.ending() == how);
}

TEST_CASE("usage beyond any number does not wrap around") {
  auto bench = alone({.budget = {.tokens = 1'000}});
  const auto most = std::numeric_limits<std::int64_t>::max();
  bench.answer("a",
               {.usage = {.prompt_tokens = most, .completion_tokens = most}});
  CHECK(bench.ending() == "cancelled: budget_tokens");
}

TEST_CASE("a budget is reached however much one reply uses") {
  constexpr std::int64_t most = 1'000'000'000'000'000;
  auto bench = alone({.budget = {.tokens = most}});
  bench.answer("a", {.usage = {.prompt_tokens = most - 1}});
  CHECK(bench.ending().empty());
  bench.answer("a", {.usage = {.prompt_tokens = 1}});
  CHECK(bench.ending() == "cancelled: budget_tokens");
}

TEST_CASE("failures end the session only in a row") {
  auto bench = until(when::failures(2));
  bench.answer("a", fails());
  bench.answer("a");
  bench.answer("a", declines());
  CHECK(bench.ending().empty());
  bench.pass(10'000);
  CHECK(bench.turns().back() == "timed_out");
  CHECK(bench.ending() == "completed: failures");
}

TEST_CASE("turns that say nothing new are no progress") {
  const auto guard = GENERATE(true, false);
  auto bench = guard ? alone({.no_progress = 3}) : until(when::no_progress(3));
  bench.answer("a", "ping");
  bench.answer("a", "ping");
  bench.answer("a", "ping");
  bench.answer("a", "something new");
  bench.answer("a", "ping");
  bench.answer("a", "");
  CHECK(bench.ending().empty());
  bench.answer("a", fails());
  CHECK(bench.ending()
        == (guard ? "cancelled: no_progress" : "completed: no_progress"));
  CHECK(observed(bench) == "3");
}

TEST_CASE("a turn that adds work is progress, whatever it says") {
  auto bench = alone({.no_progress = 2});
  for (int n = 0; n < 5; ++n)
    bench.answer("a", {.content = "same", .tasks = {{.title = "more"}}});
  CHECK(bench.ending().empty());
}

TEST_CASE("a turn that writes a resource is progress, whatever it says") {
  auto bench = alone({.no_progress = 2});
  for (std::int64_t n = 0; n < 5; ++n)
    bench.answer("a", {.content = "same", .writes = {writes("f", n, n)}});
  CHECK(bench.ending().empty());
  bench.answer("a", {.content = "same", .writes = {writes("f", 99, 1)}});
  bench.answer("a", "same");
  CHECK(bench.ending() == "cancelled: no_progress");
}

TEST_CASE("a resource that has the value ends the session, a deleted one not") {
  const auto equals = GENERATE(true, false);
  auto bench = until(equals ? when::resource_equals("file", "f", "done")
                            : when::resource_matches("file", "f", "^do"));
  bench.answer("a", with({writes("f", 0, "open")}));
  bench.answer("a", with({writes("f", 1, nullptr, write_op::remove)}));
  bench.answer("a", with({writes("g", 0, "done")}));
  CHECK(bench.ending().empty());
  bench.answer("a", with({writes("f", 2, "done")}));
  CHECK(bench.ending() == "completed: resource");
  CHECK(observed(bench) == "file f: \"done\"");
}

TEST_CASE("a number has a value however it is written") {
  auto bench = until(when::resource_equals("file", "f", 1));
  bench.answer("a", with({writes("f", 0, 1.5)}));
  CHECK(bench.ending().empty());
  bench.answer("a", with({writes("f", 1, 1.0)}));
  CHECK(bench.ending() == "completed: resource");
}

TEST_CASE("a pattern that begins with (?i) ignores case") {
  auto bench = until(when::text("(?i)^approved"));
  bench.answer("a", "Not approved");
  CHECK(bench.ending().empty());
  bench.answer("a", "APPROVED");
  CHECK(bench.ending() == "completed: text");
}

TEST_CASE("a pattern is looked for in the JSON of what is no text") {
  auto bench = until(when::resource_matches("file", "f", "\"ok\":true"));
  bench.answer("a", with({writes("f", 0, {{"ok", true}})}));
  CHECK(bench.ending() == "completed: resource");
}

TEST_CASE("who asks from outside ends the session as completed") {
  auto bench = alone({});
  bench.feed(stop{"enough"});
  CHECK(bench.ending() == "completed: stopped");
  CHECK(observed(bench) == "enough");
  CHECK(bench.turns() == texts{"cancelled"});
}

TEST_CASE("a suspended session that is to stop does so when it is resumed") {
  auto bench = alone({});
  bench.feed(suspend{});
  bench.feed(stop{"enough"});
  CHECK(bench.ending().empty());
  bench.feed(resume{});
  CHECK(bench.ending() == "completed: stopped");
  CHECK(bench.turns() == texts{"cancelled"});
}

TEST_CASE("where the end knows of stopping, it decides when") {
  auto bench = until(when::all({when::stopped(), when::turns(1)}));
  bench.feed(stop{"enough"});
  CHECK(bench.ending().empty());
  bench.answer("a");
  CHECK(bench.ending() == "completed: all");
  CHECK(observed(bench) == "stopped from outside; turns 1");
}

TEST_CASE("any ends with the reason of the first that holds") {
  auto bench = until(when::any({when::turns(5), when::text("done")}));
  bench.answer("a", "done");
  CHECK(bench.ending() == "completed: text");
}

TEST_CASE("a negation holds while its condition does not") {
  // Over as soon as a turn is closed and nobody has failed.
  auto bench
    = until(when::all({when::turns(1), when::none(when::failures(1))}));
  bench.answer("a", fails());
  CHECK(bench.ending().empty());
  bench.answer("a");
  CHECK(bench.ending() == "completed: all");
}

TEST_CASE("an end that cannot be read keeps the session from starting") {
  auto made = make_spec(mode::round_robin, {"a"});
  made.options.end = end_condition{{"turns", 0}};
  const auto refused = machine::activate(made, solo, {1, 2});
  REQUIRE_FALSE(refused);
  CHECK(refused.error().pointer == "/session/end/turns");
  CHECK_FALSE(decode_spec(encode(made)));
  made.options.end = when::any({when::turns(3), when::text("x", "y")});
  CHECK(decode_spec(encode(made)) == made);
}

TEST_CASE("a condition of the application holds as soon as it is said to") {
  auto bench = until(when::custom("tests_pass"));
  CHECK(bench.machine().custom_conditions() == texts{"tests_pass"});
  bench.answer("a");
  const auto logged = bench.feed(verdict{"tests_pass", false, "2 of 3"});
  REQUIRE(logged.size() == 1);
  CHECK(logged[0].at("input") == "verdict");
  CHECK(logged[0].at("holds") == "false");
  CHECK(bench.ending().empty());
  bench.feed(verdict{"tests_pass", true, "3 of 3"});
  CHECK(bench.ending() == "completed: custom");
  CHECK(observed(bench) == "tests_pass: 3 of 3");
  CHECK(bench.turns() == texts{"completed", "cancelled"});
}

TEST_CASE("a verdict that was given earlier can be taken back") {
  auto bench = until(when::all({when::custom("quiet"), when::turns(2)}));
  bench.feed(verdict{"quiet", true, ""});
  bench.answer("a");
  bench.feed(verdict{"quiet", false, ""});
  bench.answer("a");
  CHECK(bench.ending().empty());
  bench.feed(verdict{"quiet", true, ""});
  CHECK(bench.ending() == "completed: all");
}

TEST_CASE("a verdict on what no condition waits for is refused") {
  auto bench = until(when::custom("tests_pass"));
  CHECK(bench.feed(verdict{"test_pass", true, ""}).empty());
  CHECK(bench.machine().counts().refused == 1);
  CHECK(bench.ending().empty());
}

TEST_CASE("a condition of the application that fails ends the session") {
  auto bench = until(when::custom("tests_pass"));
  bench.feed(verdict{.condition = "tests_pass", .error = "no compiler"});
  CHECK(bench.ending() == "cancelled: custom_failed");
  CHECK(observed(bench) == "tests_pass: no compiler");
}
