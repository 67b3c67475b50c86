#include <catch2/catch.hpp>
#include <convene/protocol/documents/reply_codec.hpp>
#include <convene/protocol/events/rules.hpp>
#include <support/log_laws.hpp>
#include <support/policies.hpp>
#include <support/random_session.hpp>
#include <support/rig.hpp>

using namespace convene;
using namespace convene::session;
using namespace convene::test;

namespace {

const routing_policy* find(std::string_view name) {
  for (const auto* policy : {&solo, &everybody, &obeys})
    if (policy->name == name)
      return policy;
  return nullptr;
}

std::vector<std::string> some_log() {
  auto what = make_spec(protocol::mode::round_robin, {"a", "b"});
  what.options.rounds = 3;
  auto bench = rig::started(what, solo);
  bench.now += 5;
  bench.answer("a", "first");
  bench.feed(answer{1, {1, 2}, says("forged")});
  bench.pass(30'000);
  bench.lose("b", "gone");
  bench.feed(suspend{"lunch"});
  bench.feed(resume{});
  for (int n = 0; n < 9; ++n)
    bench.feed(answer{0, {1, 2}, says("forged")});
  REQUIRE(bench.ending() == "completed: enough");
  return bench.lines;
}

std::string replace(std::string text, std::string_view from,
                    std::string_view to) {
  const auto at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

std::string why(const std::vector<std::string>& lines) {
  const auto found = replay(lines, find);
  return found ? found->message : std::string{};
}

} // namespace

TEST_CASE("verdicts of the application replay without the application") {
  auto what = make_spec(protocol::mode::round_robin, {"a", "b"});
  what.options.rounds = 3;
  what.options.end = when::any({when::custom("good"), when::custom("bad")});
  auto bench = rig::started(what, solo);
  bench.feed(verdict{"good", false, "not yet"});
  bench.answer("a");
  bench.feed(verdict{"good", true, "now"});
  REQUIRE(bench.ending() == "completed: custom");
  CHECK(replay(bench.lines, find) == std::nullopt);

  auto fails = rig::started(what, solo);
  fails.feed(verdict{.condition = "bad", .error = "threw"});
  REQUIRE(fails.ending() == "cancelled: custom_failed");
  CHECK(replay(fails.lines, find) == std::nullopt);
}

TEST_CASE("a reply with as much in it as may be replays") {
  auto what = make_spec(protocol::mode::swarm, {"a", "b"});
  what.options.rounds = 2;
  what.options.conflicts.strategy = conflict_strategy::last_write_wins;
  auto bench = rig::started(what, everybody);
  protocol::reply all{.content = "all"};
  for (std::size_t n = 0; n < protocol::reply_claims_max; ++n)
    all.claim.push_back({"doc", "c" + std::to_string(n)});
  for (std::size_t n = 0; n < protocol::reply_writes_max; ++n)
    all.writes.push_back({.resource_type = "file",
                          .resource_id = "w" + std::to_string(n),
                          .value = 1});
  bench.answer("a", all);
  bench.answer("b", all);
  REQUIRE(bench.all("MAPConflictResolved").size()
          == protocol::reply_claims_max + protocol::reply_writes_max);
  CHECK(replay(bench.lines, find) == std::nullopt);
}

TEST_CASE("made-up policies keep the laws and replay") {
  for (const auto* policy : {&solo, &everybody, &obeys})
    for (std::uint32_t seed = 1; seed <= 50; ++seed) {
      INFO(policy->name << ", seed " << seed);
      const auto made = run_random_session(*policy, seed);
      CHECK(made.broken == texts{});
      CHECK(broken_laws(made.lines, false) == texts{});
      CHECK(replay(made.lines, find) == std::nullopt);
    }
}

TEST_CASE("a log replays to its end, and any part of it up to an input") {
  const auto log = some_log();
  CHECK(replay(log, find) == std::nullopt);
  CHECK(replay({log.begin(), log.begin() + 4}, find) == std::nullopt);
  const auto cut = replay({log.begin(), log.begin() + 3}, find);
  REQUIRE(cut);
  CHECK(cut->line == 0);
  CHECK(cut->expected == log[3]);
}

TEST_CASE("a session of other rules is refused by name, and not compared") {
  const auto log = some_log();
  const std::string mine = R"("rules":)" + std::to_string(protocol::rules)
                           + R"(,"rules_since":")"
                           + std::string{protocol::rules_since} + R"(",)";
  struct sample {
    std::string members;
    std::string since;
  };
  for (const auto& other :
       {sample{"", "rules 1, by convene 0.1.0 or"},
        sample{R"("rules":999,"rules_since":"9.9.0",)",
               "rules 999, by convene 9.9.0 or"},
        sample{R"("rules":999,)", "by convene of another version or"},
        sample{R"("rules":"two","rules_since":7,)", "rules \"two\""}}) {
    auto changed = log;
    changed[0] = replace(changed[0], mine, other.members);
    const auto found = replay(changed, find);
    REQUIRE(found);
    CHECK(found->rule == "rules_unsupported");
    CHECK(found->line == 1);
    INFO(found->message);
    CHECK(found->message.find(other.since) != std::string::npos);
    const auto restored = replayer{find}.restore(changed[0], {});
    REQUIRE_FALSE(restored);
    CHECK(restored.error().rule == "rules_unsupported");
  }
  const auto cut = replay({log.begin() + 1, log.end()}, find);
  REQUIRE(cut);
  CHECK(cut->rule.empty());
}

TEST_CASE("the first byte that is not the machine's is found") {
  const auto log = some_log();
  for (std::size_t i = 0; i < log.size(); ++i) {
    auto changed = log;
    changed[i] = replace(changed[i], R"("event_id":")", R"("event_id":"x)");
    const auto found = replay(changed, find);
    REQUIRE(found);
    CHECK(found->line == i + 1);
    CHECK(found->expected == log[i]);
    CHECK(found->actual == changed[i]);
  }
}

TEST_CASE("a line that is missing, doubled or made up is found") {
  const auto log = some_log();
  for (std::size_t i = 0; i < log.size(); ++i) {
    auto without = log;
    without.erase(without.begin() + static_cast<std::ptrdiff_t>(i));
    const bool last = i + 1 == log.size();
    CHECK(replay(without, find)->line == (last ? 0 : i + 1));
    auto doubled = log;
    doubled.insert(doubled.begin() + static_cast<std::ptrdiff_t>(i), log[i]);
    CHECK(replay(doubled, find)->line == i + 2);
  }
}

TEST_CASE("a log that cannot be a session's says what is wrong with it") {
  const auto log = some_log();
  auto start_with = [&](std::string_view from, std::string_view to) {
    auto changed = log;
    changed[0] = replace(changed[0], from, to);
    return why(changed);
  };
  CHECK(why({log.begin() + 1, log.end()}).find("begins with")
        != std::string::npos);
  CHECK(start_with(R"("policy":"solo")", R"("policy":"none")")
          .find("no routing policy")
        != std::string::npos);
  CHECK(start_with("session_key\":\"0", "session_key\":\"g").find("session_key")
        != std::string::npos);
  CHECK(start_with(R"("spec")", R"("spock")").find("no spec")
        != std::string::npos);
  CHECK(start_with(R"("convene":"1")", R"("convene":"9")") != "");
  CHECK(start_with(R"("timestamp":")", R"("timestamp":"x)").find("timestamp")
        != std::string::npos);
}

TEST_CASE("an input that cannot be read is a divergence, not a crash") {
  const auto log = some_log();
  replayer again{find};
  CHECK(again.feed(1, 5, "5")->message.find("object") != std::string::npos);
  for (const auto* what :
       {R"({"event_type":"MAPTurnCompleted","payload":{"reply":{}}})",
        R"({"event_type":"MAPTurnCompleted","payload":{"reply":5,
            "token_id":"00000000-0000-4000-8000-000000000000"}})",
        R"({"event_type":"MAPTurnCompleted",
            "payload":{"error":{"code":"too_many_violations"}}})",
        R"({"event_type":"MAPConflictDetected",
            "payload":{"details":{"input":"answer"}}})",
        R"({"event_type":"MAPBroadcastReceived","payload":{"reply":[]}})",
        R"({"event_type":"session_input","payload":{"input":"decision"}})",
        R"({"event_type":"session_input","payload":{"input":"no such"}})",
        R"({"event_type":"session_input",
            "payload":{"input":"participant_down","participant_id":"x"}})",
        R"({"event_type":"session_input","payload":7})", R"({})"}) {
    INFO(what);
    auto event = *protocol::parse_json(what);
    event.get_object()["timestamp"] = "2023-11-14T22:13:20.000Z";
    replayer from_the_start{find};
    for (std::size_t i = 0; i < 4; ++i)
      REQUIRE_FALSE(
        from_the_start.feed(i + 1, parse_event(log[i]).whole, log[i]));
    const auto found = from_the_start.feed(5, event, what);
    REQUIRE(found);
    CHECK(found->line == 5);
    CHECK(found->expected == "");
    CHECK(found->message != "");
  }
}
