#include <actors/world.hpp>
#include <caf/typed_event_based_actor.hpp>
#include <catch2/catch.hpp>
#include <convene/actors/orchestrator.hpp>

using namespace convene;
using namespace convene::actors;
using namespace convene::tests;

namespace {

/// Asks the orchestrator and does what it says.
session::ruling as_decided(const session::view& now, session::memory) {
  if (now.occasion == session::occasion::decided)
    return {{now.decided.begin(), now.decided.end()}, {}};
  if (now.busy > 0)
    return {};
  return {{session::consult{}}, {}};
}

const session::routing_policy led{.name = "led",
                                  .needs_orchestrator = true,
                                  .decide = as_decided};

answer dispatches(std::string to) {
  return {.reply = {.decision = {protocol::dispatch_decision{
                      .participant = std::move(to)}}}};
}

answer completes() {
  return {.reply = {.decision = {protocol::complete_decision{}}}};
}

session::options led_by(std::string orchestrator, std::string deputy = {}) {
  session::options made;
  made.orchestrator = std::move(orchestrator);
  if (!deputy.empty())
    made.deputy = std::move(deputy);
  return made;
}

/// What an actor of a participant hands in for a request of this kind.
template <class Spawn>
protocol::reply answer_of(Spawn spawn, session::request_kind kind) {
  world all;
  protocol::reply given;
  const session_actor desk = all.system.spawn(
    [&](session_actor::pointer) -> session_actor::behavior_type {
      return {[&](reply_msg& x) { given = std::move(x.what.reply); },
              [](write_msg&) {},
              [](action_begin_msg&) {},
              [](action_end_msg&) {},
              [](control&) {},
              [](const comeback&) {},
              [](time_passed) {},
              [](const events_durable&) {}};
    });
  const auto common
    = std::make_shared<const participants_setup>(participants_setup{
      .about = std::make_shared<const session::session_info>()});
  const auto uut = spawn(
    all.system,
    {.session = desk, .common = common, .self = 0, .answers = says("heard")});
  caf::anon_send(uut, session::request{.kind = kind, .token = {1, 2}},
                 std::int64_t{0});
  all.run();
  caf::anon_send_exit(uut, caf::exit_reason::kill);
  caf::anon_send_exit(desk, caf::exit_reason::kill);
  all.run();
  return given;
}

} // namespace

TEST_CASE("an orchestrator decides, and takes turns like anybody else") {
  world all;
  ending end;
  std::vector<std::string> asked;
  auto leads = does([&](const turn_request& what) {
    const bool decides = what.kind == session::request_kind::decision;
    asked.emplace_back(decides ? "decision" : "turn");
    if (!decides)
      return answer{.reply = {.content = "done it myself"}};
    return asked.size() == 1   ? dispatches("p1")
           : asked.size() == 2 ? dispatches("p0")
                               : completes();
  });
  all.begin({leads, says("done")}, end, led_by("p0"), led);
  all.run();
  CHECK(how(end) == "orchestrator_complete");
  CHECK(
    asked
    == std::vector<std::string>{"decision", "decision", "turn", "decision"});
  CHECK(all.told("MAPTurnCompleted", "participant_id")
        == std::vector<std::string>{"p1", "p0"});
}

TEST_CASE("a deputy's actor decides once the orchestrator's has died") {
  world all;
  ending end;
  auto dies = does(
    [](const turn_request&) -> answer { throw std::runtime_error("a fault"); });
  auto deputises = does([](const turn_request& what) {
    return what.kind == session::request_kind::decision
             ? completes()
             : answer{.reply = {.content = "done"}};
  });
  all.begin({dies, deputises}, end, led_by("p0", "p1"), led);
  all.run();
  CHECK(how(end) == "orchestrator_complete");
}

TEST_CASE("only an orchestrator's actor carries decisions") {
  using session::request_kind;
  CHECK(answer_of(spawn_orchestrator, request_kind::decision).content
        == "heard");
  CHECK(answer_of(spawn_orchestrator, request_kind::turn).content == "heard");
  CHECK(answer_of(spawn_participant, request_kind::turn).content == "heard");
  const auto refused = answer_of(spawn_participant, request_kind::decision);
  CHECK(refused.status == protocol::reply_status::failed);
  CHECK(refused.error.code == "no_orchestrator");
}
