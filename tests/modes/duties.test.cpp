// docs/duties.md: which duties change nothing in a session, whatever
// `meta.cross_cutting` names. What learning-feedback changes besides, whether
// samples are collected, is in tests/runtime/data/learning and
// tests/cli/learning.

#include <catch2/catch.hpp>
#include <convene/modes/catalog.hpp>
#include <support/rig.hpp>

#include <set>

using namespace convene;
using namespace convene::session;
using namespace convene::test;

namespace {

/// A session with what duties are about: steps that wait for each other, a
/// failure and another attempt, an answer of somebody whose turn it is not, an
/// action and what it used.
rig session_of(const std::optional<texts>& duties) {
  auto what = make_spec(protocol::mode::round_robin, {"a", "b"});
  what.collab.meta.cross_cutting = duties;
  what.options.budget.tokens = 4;
  what.plan = make_plan({{"hard", "b", {}}, {"after", "a", {0}}});
  auto bench = rig::started(what, *modes::find("round_robin"));
  bench.feed(answer{bench.index("a"), bench.last().token, says("mine")});
  bench.answer("b", fails());
  const auto who = bench.asked.back().to;
  const auto token = bench.last().token;
  bench.feed(action_begins{
    who,
    token,
    {.position = "1", .kind = protocol::action_kind::mcp, .name = "t"},
    1});
  bench.feed(action_ends{
    who, token, "1", 1, {.output = "out", .usage = {.prompt_tokens = 5}}});
  for (int n = 0; n < 10 && bench.ending().empty(); ++n)
    bench.answer(bench.order().back());
  return bench;
}

/// The log of that session, but for its start, which has the Collab as given.
texts after_start(const rig& of) {
  return {of.lines.begin() + 1, of.lines.end()};
}

} // namespace

TEST_CASE("a duty that is always on is there with its switch and without") {
  const auto without = session_of(std::nullopt);
  REQUIRE_FALSE(without.ending().empty());
  std::set<std::string> types;
  for (const auto& each : without.events)
    types.insert(each.type);
  // Coordination, orchestration, error-handling, observability, performance.
  for (const auto* const type :
       {"MAPTurnDispatched", "MAPConflictDetected", "step_status_changed",
        "action_started", "action_ended", "usage_recorded", "budget_exceeded"})
    CHECK(types.contains(type));
  CHECK(without.turns().front() == "failed");

  const auto* const duty
    = GENERATE("coordination", "error-handling", "event-bus", "observability",
               "orchestration", "performance", "protocol-versioning",
               "state-sync", "transaction");
  CAPTURE(duty);
  const auto with = session_of(texts{duty});
  CHECK(with.lines.front() != without.lines.front());
  CHECK(after_start(with) == after_start(without));
}

TEST_CASE("learning-feedback is on the log, and changes nothing behind it") {
  const auto without = session_of(std::nullopt);
  const auto with = session_of(texts{"learning-feedback"});
  CHECK(with.lines.front().find("learning-feedback") != std::string::npos);
  CHECK(after_start(with) == after_start(without));
}
