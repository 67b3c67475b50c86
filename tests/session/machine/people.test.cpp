#include <catch2/catch.hpp>
#include <support/policies.hpp>
#include <support/rig.hpp>

using namespace convene;
using namespace convene::session;
using namespace convene::test;

// How long each participant has for a request, and what time counts.

namespace {

constexpr std::int64_t day_ms = 24LL * 3600 * 1000;

/// Participants called a, b, c, d and e with behaviours of these types.
spec with_types(const texts& types) {
  const texts names{"a", "b", "c", "d", "e"};
  auto made = make_spec(
    protocol::mode::swarm,
    {names.begin(), names.begin() + static_cast<std::ptrdiff_t>(types.size())});
  for (std::size_t i = 0; i < types.size(); ++i)
    made.behaviours[names[i]] = {{"type", types[i]}};
  made.options.rounds = 100;
  return made;
}

/// How long each has for its first request.
std::vector<std::int64_t> times_in(const rig& of) {
  std::vector<std::int64_t> made;
  for (const auto& each : of.asked)
    made.push_back(each.what.expires_at - of.now);
  return made;
}

using times = std::vector<std::int64_t>;

/// One message to all, then the end.
const routing_policy one_message{
  .name = "one_message",
  .takes_turns = false,
  .decide = [](const view& now, memory) {
    if (now.busy > 0)
      return ruling{};
    if (now.broadcasts == 0)
      return ruling{{broadcast{}}, {}};
    return ruling{{complete{.condition = "enough"}}, {}};
  }};

} // namespace

TEST_CASE("a person has a day, models and programs minutes, others seconds") {
  auto what = with_types({"human", "llm", "echo", "process", "mcp"});
  what.behaviours["d"].as_object()["timeout_ms"] = 77;
  CHECK(times_in(rig::started(what, everybody))
        == times{day_ms, 300'000, 30'000, 77, 300'000});
  what.options.turn_timeout_ms = 500;
  CHECK(times_in(rig::started(what, everybody))
        == times{500, 500, 500, 77, 500});
  what.options.turn_timeout_ms.reset();
  what.behaviours = {{"*", {{"type", "http"}}}, {"c", {{"type", "echo"}}}};
  CHECK(times_in(rig::started(what, everybody))
        == times{300'000, 300'000, 30'000, 300'000, 300'000});
}

TEST_CASE("the log has a time for all where no behaviour has its own") {
  const auto logged = [](const texts& types) {
    return rig::started(with_types(types), everybody)
      .all("MAPSessionStarted")[0]
      .at("spec/session/turn_timeout_ms");
  };
  CHECK(logged({"echo", "simulated"}) == "30000");
  CHECK(logged({"echo", "llm"}).empty());
}

TEST_CASE("each receiver of a broadcast has its own time") {
  auto bench = rig::started(with_types({"echo", "echo", "llm"}), one_message);
  const auto sent = bench.all("MAPBroadcastSent").at(0);
  CHECK(sent.at("message/deadline_ms") == "300000");
  bench.pass(30'000);
  REQUIRE(bench.all("MAPBroadcastReceived").size() == 1);
  CHECK(bench.all("MAPBroadcastReceived")[0].at("receiver_participant") == "b");
  CHECK(bench.ending().empty());
  bench.answer("c");
  CHECK(bench.ending() == "completed: enough");
}

TEST_CASE("time in which only people are awaited does not count") {
  auto what = with_types({"human", "echo"});
  what.options.max_duration_ms = 1'000;
  auto bench = rig::started(what, everybody);
  bench.pass(400);
  bench.answer("b", declines());
  // b is asked again: not only people are awaited.
  bench.pass(599);
  CHECK(bench.ending().empty());
  bench.pass(1);
  CHECK(bench.ending() == "cancelled: max_duration");
}

TEST_CASE("who has calls approved has a person's time, but for each call") {
  auto what = with_types({"llm", "llm", "process"});
  what.behaviours["a"].as_object()["approve"]
    = protocol::json::array{"files/*"};
  what.behaviours["a"].as_object()["timeout_ms"] = 77;
  what.behaviours["b"].as_object()["approve"] = protocol::json::array{};
  what.behaviours["c"].as_object()["approve"] = true;
  CHECK(times_in(rig::started(what, everybody))
        == times{day_ms, 300'000, day_ms});
  what.options.turn_timeout_ms = 500;
  CHECK(times_in(rig::started(what, everybody)) == times{500, 500, 500});
}

TEST_CASE("time in which only an approval is awaited does not count") {
  auto what = with_types({"llm", "human"});
  what.behaviours["a"].as_object()["approve"] = true;
  what.options.max_duration_ms = 1'000;
  auto bench = rig::started(what, everybody);
  const auto act = [&](protocol::action_kind kind, std::string position) {
    const auto a = bench.index("a");
    bench.feed(action_begins{a,
                             bench.open.at(a).token,
                             {.position = std::move(position),
                              .kind = kind,
                              .name = "x",
                              .repeatable = true},
                             1});
  };
  act(protocol::action_kind::person, "1.1.approval.0");
  bench.pass(5'000);
  CHECK(bench.ending().empty());
  act(protocol::action_kind::mcp, "1.2"); // something else is under way
  bench.pass(999);
  CHECK(bench.ending().empty());
  bench.pass(1);
  CHECK(bench.ending() == "cancelled: max_duration");
}

TEST_CASE("a session waits for a person longer than it may last") {
  auto what = with_types({"human", "echo"});
  what.options.max_duration_ms = 1'000;
  what.options.rounds = 2;
  auto bench = rig::started(what, solo);
  CHECK(bench.machine().next_deadline() == bench.now + day_ms);
  bench.pass(day_ms / 2);
  CHECK(bench.ending().empty());
  bench.answer("a");
  CHECK(bench.ending().empty());
  bench.pass(day_ms);
  CHECK(bench.turns() == texts{"completed", "timed_out"});
  CHECK(bench.ending() == "completed: enough");
}

TEST_CASE("what has counted before a person is awaited counts after") {
  auto what = with_types({"human", "echo"});
  what.options.max_duration_ms = 1'000;
  what.options.rounds = 2;
  auto bench = rig::started(what, everybody);
  bench.pass(400);
  bench.answer("b");
  bench.feed(suspend{});
  bench.pass(5'000);
  bench.feed(resume{});
  CHECK(bench.ending() == "completed: enough");
  what.options.rounds = 3;
  auto next = rig::started(what, everybody);
  next.pass(400);
  next.answer("b");
  next.pass(300);
  CHECK(next.ending().empty());
  next.lose("b");
  // Only a is awaited now.
  next.pass(10'000);
  CHECK(next.ending().empty());
  next.feed(participant_up{next.index("b")});
  next.answer("a");
  next.pass(299);
  CHECK(next.ending() != "cancelled: max_duration");
}
