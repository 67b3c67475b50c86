#include "hand_clock.hpp"
#include "sample.hpp"

#include <catch2/catch.hpp>

#include <future>
#include <latch>
#include <thread>

// What a function can do in the middle of its turn, and how it learns that the
// turn is over.

using namespace convene;
using namespace convene::tests;

namespace {

protocol::resource_write put(std::string id, std::int64_t base = 0) {
  return {.resource_type = "file",
          .resource_id = std::move(id),
          .base_version = base,
          .value = "text"};
}

/// Every file that the session's workspace has in the end, in order.
std::vector<std::string> files_of(const session_result& ended) {
  std::vector<std::string> names;
  for (const auto& r : ended.report->workspace.changes(0))
    names.push_back(r->key->id + std::to_string(r->version));
  return names;
}

/// What a turn that waits has: it may outlive the runtime.
struct waiting_turn {
  std::latch asked{1};
  std::latch told{1}; ///< that it is over
};

/// A session of one whose only turn lasts until it is over.
session_setup waits_in_turn(const std::shared_ptr<waiting_turn>& with) {
  return {.participants = {agent("a", "role",
                                 [with](const turn_request& turn) {
                                   with->asked.count_down();
                                   turn.live->when_over(
                                     [with] { with->told.count_down(); });
                                   with->told.wait();
                                   return reply{};
                                 })},
          .task = "wait"};
}

} // namespace

TEST_CASE("a turn can end its session when nobody can go on with it") {
  convene::runtime rt;
  int turns = 0;
  const auto ended
    = rt.start({.participants = {agent("a", "role",
                                       [&](const turn_request& turn) {
                                         ++turns;
                                         turn.live->cancel_session(
                                           "the server is gone");
                                         return reply{};
                                       })},
                .task = "work",
                .options = {.rounds = 1'000}})
        .await();
  REQUIRE(ended);
  CHECK(how(ended) == "cancelled");
  CHECK(ended->stop_reason.observed == "the server is gone");
  CHECK(turns < 1'000);
}

TEST_CASE("a function writes before it answers, by the rules of its turn") {
  convene::runtime rt;
  std::shared_ptr<actors::live_turn> kept;
  const auto ended
    = rt.start({.participants
                = {agent("a", "role",
                         [&](const turn_request& turn) {
                           CHECK(turn.live->write(put("early")));
                           CHECK(turn.live->write(put("early", 1)));
                           return reply{.writes = {put("late")}};
                         }),
                   agent("b", "role",
                         [&](const turn_request& turn) {
                           kept = turn.live;
                           CHECK(turn.workspace.find({"file", "early"}));
                           return reply{};
                         })},
                .task = "write",
                .workspace = {{"file", "given", "text"}}})
        .await();
  REQUIRE(ended);
  CHECK(how(ended) == "rounds");
  CHECK(files_of(*ended)
        == std::vector<std::string>{"early2", "given1", "late1"});
  CHECK(ended->conflicts == 0);
  CHECK_FALSE((kept->is_over() && kept->write(put("after the end"))));
}

TEST_CASE("a function learns that the time of its turn is over") {
  const auto turn = std::make_shared<waiting_turn>();
  hand_clock clock;
  const auto rt = clock.open_runtime();
  auto setup = waits_in_turn(turn);
  setup.options.turn_timeout_ms = 20;
  const auto session = rt->start(setup);
  turn->asked.wait(); // over before that, its function would never be called
  clock.pass(20);
  turn->told.wait();
  CHECK(session.await());
}

TEST_CASE("a function learns that its session was cancelled") {
  const auto turn = std::make_shared<waiting_turn>();
  convene::runtime rt;
  const auto session = rt.start(waits_in_turn(turn));
  turn->asked.wait(); // cancelled before that, it would never be called
  session.cancel("enough");
  const auto ended = session.await();
  REQUIRE(ended);
  CHECK(how(ended) == "cancelled");
  turn->told.wait();
}

TEST_CASE("an answer that comes after the session's end is counted") {
  std::latch asked{1};
  std::latch over{1};
  convene::runtime rt;
  const auto session = rt.start(
    {.participants = {agent("a", "role",
                            [&](const turn_request& turn) {
                              turn.live->when_over([&] { over.count_down(); });
                              asked.count_down();
                              over.wait();
                              return reply{};
                            })},
     .task = "wait"});
  asked.wait();
  CHECK(rt.late_answers() == 0);
  session.cancel("enough");
  REQUIRE(session.await());
  while (rt.late_answers() == 0)
    std::this_thread::yield();
  CHECK(rt.late_answers() == 1);
}

TEST_CASE("a session within a turn is cancelled with it") {
  const auto nested = std::make_shared<waiting_turn>();
  std::promise<std::string> inner_end;
  convene::runtime rt;
  const auto waiting = waits_in_turn(nested);
  const auto outer = rt.start(
    {.participants = {agent("manager", "role",
                            [&](const turn_request& turn) {
                              auto inner = rt.start(waiting);
                              inner_end.set_value(how(inner.await_in(turn)));
                              return reply{};
                            })},
     .task = "delegate"});
  nested->asked.wait();
  outer.cancel("enough");
  const auto ended = outer.await();
  REQUIRE(ended);
  CHECK(how(ended) == "cancelled");
  CHECK(inner_end.get_future().get() == "cancelled");
  nested->told.wait();
}

TEST_CASE("a session within a turn that ends in time gives its result") {
  convene::runtime rt;
  const auto ended
    = rt.start({.participants
                = {agent("manager", "role",
                         [&](const turn_request& turn) {
                           auto inner = rt.start(two_in(mode::round_robin));
                           return reply{.content = how(inner.await_in(turn))};
                         })},
                .task = "delegate"})
        .await();
  REQUIRE(ended);
  CHECK(how(ended) == "rounds");
  CHECK(ended->dialog().messages.back().content == "rounds");
}

TEST_CASE("an application's own condition ends its session") {
  convene::runtime rt;
  int asked = 0;
  auto setup = two_in(mode::round_robin);
  setup.options.rounds = 1000;
  setup.options.end = when::custom("three_turns");
  setup.conditions["three_turns"]
    = [](const session::machine& now) -> std::optional<std::string> {
    if (now.counts().turns <= 3)
      return std::nullopt;
    return "turn 4 was about to begin";
  };
  setup.participants[0].respond = setup.participants[1].respond
    = [&asked](const turn_request&) {
        ++asked;
        return reply{.content = "again"};
      };
  const auto ended = rt.start(setup).await();
  REQUIRE(ended);
  CHECK(how(ended) == "custom");
  CHECK(ended->stop_reason.observed
        == "three_turns: turn 4 was about to begin");
  // The turn that was dispatched in the same moment reached nobody.
  CHECK(asked == 3);
}

TEST_CASE("a condition that throws ends the session and says what it threw") {
  convene::runtime rt;
  auto setup = two_in(mode::round_robin);
  setup.options.end = when::custom("broken");
  setup.conditions["broken"]
    = [](const session::machine&) -> std::optional<std::string> {
    throw std::runtime_error{"out of luck"};
  };
  const auto ended = rt.start(setup).await();
  REQUIRE(ended);
  CHECK(ended->status == collab_status::cancelled);
  CHECK(how(ended) == "custom_failed");
  CHECK(ended->stop_reason.observed == "broken: out of luck");
}

TEST_CASE("a condition that no function is given for keeps a session from "
          "starting") {
  convene::runtime rt;
  auto setup = two_in(mode::round_robin);
  setup.options.end = when::custom("missing");
  const auto refused = rt.start(setup).await();
  REQUIRE_FALSE(refused);
  CHECK(refused.error().rule == "known_condition");
  CHECK(refused.error().value == "missing");
}

TEST_CASE("a runtime ends though threads that used it live on") {
  std::latch used{1};
  std::latch ended{1};
  std::unique_ptr<convene::runtime> rt;
  std::thread user{[&] {
    rt = std::make_unique<convene::runtime>();
    static_cast<void>(rt->start(two_in(mode::pair)).await());
    used.count_down();
    ended.wait();
  }};
  used.wait();
  rt.reset();
  ended.count_down();
  user.join();
}

TEST_CASE(
  "who is asked to decide a conflict and what comes next answers both") {
  // Both requests reach the orchestrator's thread in the same moment.
  const auto leads = agent("lead", "role", [](const turn_request& asked) {
    if (asked.kind == session::request_kind::escalation)
      return reply{.vote = protocol::vote{asked.dispute.conflict_id, "b"}};
    const auto n = asked.kind_sequence;
    if (n == 2)
      return reply{.decision = {protocol::complete_decision{}}};
    return reply{.decision = {protocol::dispatch_decision{
                   .participant = n == 0 ? "a" : "b"}}};
  });
  const auto writes = [](const turn_request&) {
    return reply{.writes = {put("plan", 1)}};
  };
  session_setup setup{.mode = mode::orchestrated,
                      .participants = {leads, agent("a", "role", writes),
                                       agent("b", "role", writes)},
                      .task = "write",
                      .workspace = {{"file", "plan", "text"}}};
  setup.options.orchestrator = "lead";
  setup.options.conflicts.strategy = session::conflict_strategy::escalation;
  for (int n = 0; n < 20; ++n) {
    convene::runtime rt;
    const auto ended = rt.start(setup).await();
    REQUIRE(ended);
    CHECK(how(ended) == "orchestrator_complete");
    const auto* plan = ended->report->workspace.find({"file", "plan"});
    REQUIRE(plan != nullptr);
    CHECK(plan->version == 3);
    CHECK(ended->collab.participants[plan->by.participant].participant_id
          == "b");
  }
}

TEST_CASE("a session id that is on the log is not begun again") {
  const scratch_folder files;
  const auto log = files / "log.jsonl";
  protocol::uuid_source ids{1};
  const auto spec = make_spec(two_in(mode::round_robin), ids, 1'000);
  const auto functions = [] {
    start_options how;
    for (const auto& p : two_in(mode::round_robin).participants)
      how.functions.emplace(p.participant_id, p);
    return how;
  };
  convene::runtime rt{{.log = log}};
  CHECK(how(rt.start(spec, functions()).await()) == "rounds");
  const auto again = rt.start(spec, functions()).await();
  REQUIRE_FALSE(again);
  CHECK(again.error().rule == "session_id");
}
