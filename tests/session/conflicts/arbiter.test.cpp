#include <catch2/catch.hpp>
#include <convene/session/conflicts/arbiter.hpp>
#include <support/part_rig.hpp>

using namespace convene;
using namespace convene::session;
using namespace convene::test;
using enum conflict_strategy;

namespace {

constexpr participant_index a = 0;
constexpr participant_index b = 1;
constexpr participant_index c = 2;

/// Three participants with an open turn each, and a file "x" of version 1.
struct court : part_rig {
  explicit court(conflict_strategy how,
                 std::map<std::string, std::int64_t> ranks = {})
    : part_rig([&] {
        auto made = make_spec(protocol::mode::swarm, {"a", "b", "c"});
        made.options.turn_timeout_ms = 1000;
        made.options.claim_timeout_ms = 500;
        made.options.conflicts = {.strategy = how, .ranks = std::move(ranks)};
        made.workspace = {{"file", "x", 0}};
        return made;
      }()) {
    judge.open();
    for (auto i : {a, b, c}) {
      request message;
      requests.issue(
        i,
        {.turn_number = i + 1, .token = token(i), .expires_at = now + 10'000},
        message);
    }
    take_events();
  }

  static protocol::uuid token(participant_index of) {
    return {9, of};
  }

  /// Writes a number into "x". Returns what the log has of it.
  texts write(participant_index by, std::int64_t base, int value) {
    judge.attempt(
      {.who = by, .turn_number = by + 1, .token = token(by), .allowed = true},
      protocol::resource_write{"file", "x", base, protocol::write_op::put,
                               value});
    return types();
  }

  texts claim(participant_index by, const protocol::claim& what) {
    judge.attempt({.who = by, .turn_number = by + 1, .token = token(by)}, what);
    return types();
  }

  texts types() {
    texts made;
    for (const auto& each : take_events())
      made.push_back(each.type);
    return made;
  }

  /// The latest question's answer.
  answer_kind vote(participant_index by, std::string in_favour_of) {
    const auto question = std::ranges::find(out.deliveries, by, &delivery::to);
    REQUIRE(question != out.deliveries.end());
    protocol::reply reply{
      .vote = protocol::vote{question->what.conflict->conflict_id,
                             std::move(in_favour_of)}};
    return judge.take_answer(by, question->what.token, reply, no_participant);
  }

  /// "2=5" with its version and value.
  std::string x() const {
    const auto found = judge.resources().find({"file", "x"});
    return std::to_string(found->version) + "="
           + protocol::json::serialize(found->value);
  }

  request_table requests{3};
  action_book actions{who, log, scenario.options.budget};
  plan_runner plan{{}, who, log, shared};
  arbiter judge{who, log, requests, actions, plan, shared};
};

const texts detected_and_resolved{"MAPConflictDetected", "MAPConflictResolved"};

} // namespace

TEST_CASE("a write on the current version counts") {
  court of{first_write_wins};
  CHECK(of.write(a, 1, 5) == texts{"resource_written"});
  CHECK(of.x() == "2=5");
  CHECK(of.requests.find(a)->wrote);
  CHECK_FALSE(of.requests.find(b)->wrote);
  CHECK(of.out.notices.empty());
}

TEST_CASE("a write on a later version than there is, is no conflict") {
  court of{first_write_wins};
  CHECK(of.write(a, 7, 5) == texts{"write_refused"});
  CHECK(of.x() == "1=0");
  CHECK(of.log.counts().conflicts == 0);
}

TEST_CASE("of two writes on one version the strategy decides, at once") {
  court first{first_write_wins};
  first.write(a, 1, 5);
  CHECK(first.write(b, 1, 6) == detected_and_resolved);
  CHECK(first.x() == "2=5");
  REQUIRE(first.out.notices.size() == 1);
  CHECK(first.out.notices[0].to == b);
  court last{last_write_wins};
  last.write(a, 1, 5);
  CHECK(
    last.write(b, 1, 6)
    == texts{"MAPConflictDetected", "MAPConflictResolved", "resource_written"});
  CHECK(last.x() == "3=6");
  REQUIRE(last.out.notices.size() == 1);
  CHECK(last.out.notices[0].to == a);
  court ranked{hierarchy, {{"b", 5}}};
  ranked.write(a, 1, 5);
  ranked.write(b, 1, 6);
  CHECK(ranked.x() == "3=6");
  ranked.write(c, 1, 7);
  CHECK(ranked.x() == "3=6");
  CHECK(ranked.log.counts().conflicts == 2);
}

TEST_CASE("while others decide the resource waits, and so does the end") {
  court of{voting};
  of.write(a, 1, 5);
  CHECK(of.write(b, 1, 6) == texts{"MAPConflictDetected"});
  CHECK_FALSE(of.judge.is_settled());
  CHECK(of.x() == "2=5");
  REQUIRE(of.out.deliveries.size() == 1);
  CHECK(of.out.deliveries[0].to == c);
  CHECK(of.judge.asks(c, of.out.deliveries[0].what.token));
  CHECK(of.judge.deadline(of.now + 9999) == of.now + 1000);
  CHECK(of.write(a, 2, 8) == detected_and_resolved);
  CHECK(of.x() == "2=5");
  of.judge.hold({.condition = "rounds"});
  CHECK(of.judge.holds_end());
  CHECK(of.vote(c, "b") == answer_kind::settled);
  CHECK(of.x() == "3=6");
  CHECK(of.judge.take_held()->condition == "rounds");
  CHECK_FALSE(of.judge.holds_end());
  CHECK(of.vote(c, "a") == answer_kind::too_late);
  CHECK(of.x() == "3=6");
}

TEST_CASE("an answer to anything else is not the arbiter's") {
  court of{voting};
  protocol::reply reply{.content = "done"};
  CHECK(of.judge.take_answer(a, court::token(a), reply, no_participant)
        == answer_kind::no_question);
  CHECK(of.take_events().empty());
}

TEST_CASE("a vote ends with its time or its last voter") {
  court late{voting};
  late.write(a, 1, 5);
  late.write(b, 1, 6);
  CHECK_FALSE(late.judge.expire_conflicts());
  late.pass(1000);
  CHECK(late.judge.expire_conflicts());
  CHECK(late.x() == "2=5");
  CHECK_FALSE(late.judge.expire_conflicts());
  court lost{voting};
  lost.write(a, 1, 5);
  lost.write(b, 1, 6);
  lost.who.lose(c);
  CHECK(lost.judge.lose_voter(c));
  CHECK(lost.judge.is_settled());
  CHECK(lost.x() == "2=5");
}

TEST_CASE("conflicts that are closed leave the first write in place") {
  court of{voting};
  of.write(a, 1, 5);
  of.write(b, 1, 6);
  of.types();
  of.judge.close_conflicts("the session ends");
  CHECK(of.types() == texts{"MAPConflictResolved"});
  CHECK(of.judge.is_settled());
  CHECK(of.x() == "2=5");
}

TEST_CASE("a claim keeps others out until it ends") {
  court of{last_write_wins};
  CHECK(of.claim(a, {"file", "x"}) == texts{"claim_taken"});
  CHECK(of.write(b, 1, 6) == detected_and_resolved);
  CHECK(of.claim(b, {"file", "x"}) == detected_and_resolved);
  CHECK(of.x() == "1=0");
  CHECK(of.write(a, 1, 5) == texts{"resource_written"});
  CHECK(of.judge.deadline(of.now + 9999) == of.now + 500);
  of.pass(500);
  of.judge.claims().expire();
  CHECK(of.types() == texts{"claim_released"});
  CHECK(of.write(b, 2, 6) == texts{"resource_written"});
}

TEST_CASE("claims go with a turn that is handed on, and with who is lost") {
  court of{last_write_wins};
  of.claim(a, {"file", "x"});
  of.judge.claims().pass(a, b, *of.requests.find(a));
  CHECK(of.types() == texts{"claim_handed_over"});
  CHECK(of.write(a, 1, 5) == detected_and_resolved);
  of.judge.claims().end_all_of(b);
  CHECK(of.types() == texts{"claim_released"});
  CHECK(of.write(a, 1, 5) == texts{"resource_written"});
}

TEST_CASE("writes of a reply that did not complete are ignored, and told so") {
  court of{last_write_wins};
  protocol::reply reply{
    .writes = {{"file", "x", 1, protocol::write_op::put, 5}}};
  of.judge.take_writes(a, reply, false);
  CHECK(of.types().empty());
  CHECK(of.out.notices.at(0).what == "writes_ignored");
  of.judge.disputes().reject_writes(a, court::token(a), reply, b);
  CHECK(of.types() == detected_and_resolved);
  CHECK(of.x() == "1=0");
  of.judge.take_writes(a, reply, true);
  CHECK(of.x() == "2=5");
}

TEST_CASE("what a role may not write is a conflict with nobody") {
  auto what = make_spec(protocol::mode::swarm, {"a", "b", "c"});
  what.roles = {{.role_id = "role-a",
                 .name = "writer",
                 .capabilities = std::vector<std::string>{"note.write"}}};
  part_rig on{std::move(what)};
  request_table requests{3};
  action_book actions{on.who, on.log, on.scenario.options.budget};
  plan_runner plan{{}, on.who, on.log, on.shared};
  arbiter judge{on.who, on.log, requests, actions, plan, on.shared};
  const writing by{.who = a, .allowed = true};
  judge.attempt(by, protocol::resource_write{.resource_type = "file",
                                             .resource_id = "y"});
  const auto made = on.take_events();
  REQUIRE(made.size() == 2);
  CHECK(made[0].at("conflict_type") == "permission_denied");
  CHECK(made[1].at("winning_participant").empty());
  judge.attempt(by, protocol::resource_write{.resource_type = "note",
                                             .resource_id = "y"});
  CHECK(on.take_events().at(0).type == "resource_written");
}
