#include <catch2/catch.hpp>
#include <support/log_laws.hpp>
#include <support/policies.hpp>
#include <support/writing.hpp>

using namespace convene;
using namespace convene::session;
using namespace convene::test;
using enum conflict_strategy;

namespace {

/// Everybody has a turn at once; `a` has written version 2 and `b` a write on
/// version 1, so that they write_conflict.
struct dispute {
  rig bench;

  explicit dispute(conflict_strategy how,
                   std::map<std::string, std::int64_t> ranks = {},
                   const std::vector<std::string>& names = {"a", "b", "c", "d",
                                                            "e"})
    : bench(rig::started(
      [&] {
        auto made = make_spec(protocol::mode::swarm, names);
        made.options.rounds = static_cast<std::int64_t>(names.size());
        made.options.turn_timeout_ms = 1000;
        made.options.conflicts = {.strategy = how, .ranks = std::move(ranks)};
        made.workspace = {{"file", "a", 0}};
        return made;
      }(),
      everybody)) {
    bench.answer("a", with({writes("a", 1, 1)}));
    bench.answer("b", with({writes("a", 1, 2)}));
  }

  /// Who has been asked, as "vote c".
  texts questions() const {
    texts all;
    for (const auto& d : bench.asked)
      if (d.what.kind == request_kind::vote
          || d.what.kind == request_kind::escalation)
        all.push_back(
          (d.what.kind == request_kind::vote ? "vote " : "escalation ")
          + bench.machine().spec().collab.participants[d.to].participant_id);
    return all;
  }

  std::vector<event> say(std::string_view who, protocol::reply reply) {
    const auto to = bench.index(who);
    const auto question
      = std::find_if(bench.asked.rbegin(), bench.asked.rend(), [&](auto& d) {
          return d.to == to
                 && (d.what.kind == request_kind::vote
                     || d.what.kind == request_kind::escalation);
        });
    REQUIRE(question != bench.asked.rend());
    return bench.feed(
      session::answer{to, question->what.token, std::move(reply)});
  }

  std::vector<event> vote(std::string_view who, std::string choice) {
    return say(who, {.vote = protocol::vote{
                       bench.all("MAPConflictDetected")[0].at("conflict_id"),
                       std::move(choice)}});
  }

  /// "strategy: winner", or empty while it is open.
  std::string settled() const {
    const auto id = bench.all("MAPConflictDetected")[0].at("conflict_id");
    for (const auto& e : bench.all("MAPConflictResolved"))
      if (e.at("conflict_id") == id)
        return e.at("resolution_strategy") + ": " + e.at("winning_participant");
    return {};
  }

  /// Ends the session and looks at its log.
  void check_log() {
    for (int n = 0; n < 20 && bench.ending().empty(); ++n)
      bench.pass(1000);
    CHECK(bench.ending() != "");
    CHECK(broken_laws(bench.lines, false).empty());
    CHECK_FALSE(
      replay(bench.lines, [](std::string_view) { return &everybody; }));
  }
};

} // namespace

TEST_CASE("a vote asks everybody who is on neither side") {
  dispute d{voting};
  CHECK(d.questions() == texts{"vote c", "vote d", "vote e"});
  CHECK(d.settled() == "");
  const auto detected = d.bench.all("MAPConflictDetected")[0];
  CHECK(detected.at("details/asked") == R"(["c","d","e"])");
  const auto& shown = *d.bench.asked.back().what.conflict;
  CHECK(shown.conflict_id == detected.at("conflict_id"));
  REQUIRE(shown.sides.size() == 2);
  CHECK(shown.sides[0].participant == 0);
  CHECK(shown.sides[0].value == 1);
  CHECK(shown.sides[1].participant == 1);
  CHECK(shown.sides[1].value == 2);
  CHECK(standing(d.bench.machine()) == texts{"a2=1 by a"});
  d.check_log();
}

TEST_CASE("the majority decides, as soon as it is one") {
  dispute d{voting};
  d.vote("c", "b");
  CHECK(d.settled() == "");
  const auto made = d.vote("e", "b");
  CHECK(d.settled() == "voting: b");
  CHECK(made[0].type == "session_input");
  CHECK(made[0].at("input") == "vote");
  CHECK(made[1].at("votes")
        == R"([{"participant_id":"c","for":"b"},)"
           R"({"participant_id":"e","for":"b"}])");
  CHECK(made[1].at("losing_participants") == R"(["a"])");
  CHECK(made[2].type == "resource_written");
  CHECK(standing(d.bench.machine()) == texts{"a3=2 by b"});
  CHECK(told(d.bench, "a") == texts{"write_overridden: file a"});
  CHECK(told(d.bench, "d") == texts{"closed: conflict_resolved"});
  d.check_log();
}

TEST_CASE("a vote can also keep what stands") {
  dispute d{voting};
  d.vote("c", "a");
  d.vote("d", "a");
  CHECK(d.settled() == "voting: a");
  CHECK(standing(d.bench.machine()) == texts{"a2=1 by a"});
  CHECK(told(d.bench, "b").size() == 1);
  d.check_log();
}

TEST_CASE("who does not answer, or answers something else, abstains") {
  dispute d{voting};
  d.say("c", declines());
  d.vote("d", "somebody");
  d.bench.pass(999);
  CHECK(d.settled() == "");
  d.vote("e", "b");
  CHECK(d.settled() == "voting: b");
  d.check_log();
}

TEST_CASE("a tie goes to the ranks, then to whoever decides alone") {
  SECTION("ranks") {
    dispute d{voting, {{"b", 1}}};
    d.bench.pass(1000);
    CHECK(d.settled() == "hierarchy: b");
    d.check_log();
  }
  SECTION("nobody is there to decide") {
    dispute d{voting};
    d.bench.pass(1000);
    CHECK(d.settled() == "first-write-wins: a");
    d.check_log();
  }
  SECTION("an orchestrator is") {
    dispute d{voting, {}, {"a", "b", "orchestrator-c", "d"}};
    d.vote("orchestrator-c", "a");
    d.vote("d", "b");
    CHECK(d.settled() == "");
    CHECK(d.questions().back() == "escalation orchestrator-c");
    d.vote("orchestrator-c", "b");
    CHECK(d.settled() == "escalation: b");
    d.check_log();
  }
  SECTION("two are alone with each other") {
    dispute d{voting, {}, {"a", "b"}};
    CHECK(d.settled() == "first-write-wins: a");
    CHECK(d.questions().empty());
  }
}

TEST_CASE("an escalation asks the orchestrator, else a person") {
  SECTION("orchestrator") {
    dispute d{escalation, {}, {"a", "b", "c", "orchestrator-x"}};
    CHECK(d.questions() == texts{"escalation orchestrator-x"});
    d.vote("orchestrator-x", "b");
    CHECK(d.settled() == "escalation: b");
    CHECK(standing(d.bench.machine()) == texts{"a3=2 by b"});
    d.check_log();
  }
  SECTION("nobody") {
    dispute d{escalation};
    CHECK(d.settled() == "first-write-wins: a");
    d.check_log();
  }
  SECTION("no answer in time") {
    dispute d{escalation, {}, {"a", "b", "c", "orchestrator-x"}};
    d.bench.pass(1000);
    CHECK(d.settled() == "first-write-wins: a");
    d.check_log();
  }
}

TEST_CASE("while a conflict waits, its resource does, and nothing else") {
  dispute d{voting};
  const auto made
    = d.bench.answer("c", with({writes("a", 2, 3), writes("b", 0, 3)}));
  CHECK(made[0].at("conflict_type") == "concurrent_modification");
  CHECK(made[1].at("reason")
        == "the resource waits for a conflict to be settled");
  CHECK(made[1].at("losing_participants") == R"(["c"])");
  CHECK(made[2].type == "resource_written");
  CHECK(made[2].at("resource_id") == "b");
  CHECK(standing(d.bench.machine()) == texts{"a2=1 by a", "b1=3 by c"});
  d.check_log();
}

TEST_CASE("a session does not end while a conflict waits") {
  dispute d{voting};
  for (const auto* who : {"c", "d", "e"})
    d.bench.answer(who);
  CHECK(d.bench.ending() == "");
  d.vote("c", "b");
  d.vote("d", "b");
  CHECK(d.bench.ending() == "completed: enough");
  CHECK(standing(d.bench.machine()) == texts{"a3=2 by b"});
  d.check_log();
}

TEST_CASE("what ends or suspends a session settles its conflicts first") {
  dispute d{voting};
  SECTION("cancel") {
    d.bench.feed(cancel{"enough"});
  }
  SECTION("suspend") {
    d.bench.feed(session::suspend{"pause"});
    CHECK(d.settled() == "first-write-wins: a");
    d.bench.feed(resume{});
  }
  CHECK(d.settled() == "first-write-wins: a");
  d.check_log();
}

TEST_CASE("a session whose end waited for a conflict ends once it is resumed") {
  dispute about{voting};
  for (const auto* who : {"c", "d", "e"})
    about.bench.answer(who);
  REQUIRE(about.bench.ending() == "");
  about.bench.feed(suspend{"lunch"});
  REQUIRE(about.bench.all("MAPConflictResolved").size() == 1);
  about.bench.feed(resume{});
  CHECK(about.bench.ending() == "completed: enough");
}

TEST_CASE("a voter that is lost abstains") {
  dispute d{voting};
  d.vote("c", "b");
  d.bench.lose("d");
  d.bench.lose("e");
  CHECK(d.settled() == "voting: b");
  d.check_log();
}

TEST_CASE("a second vote, and one that nobody asked for, count nothing") {
  dispute d{voting};
  d.vote("c", "b");
  CHECK(d.vote("c", "b").empty());
  CHECK(d.settled() == "");
  CHECK(d.bench.machine().counts().refused == 1);
  d.bench.answer(
    "d", {.vote = protocol::vote{
            d.bench.all("MAPConflictDetected")[0].at("conflict_id"), "b"}});
  CHECK(d.bench.turns().back() == "failed");
  CHECK(d.settled() == "");
  d.check_log();
}
