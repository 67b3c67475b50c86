#include <catch2/catch.hpp>
#include <convene/session/conflicts/open_conflicts.hpp>
#include <support/part_rig.hpp>

using namespace convene;
using namespace convene::session;
using namespace convene::test;

namespace {

/// "a" wrote version 1 of "x", "b" writes against it; "c" and "d" are asked.
struct assembly : part_rig {
  assembly()
    : part_rig([] {
        auto made = make_spec(protocol::mode::swarm, {"a", "b", "c", "d"});
        made.options.turn_timeout_ms = 1000;
        return made;
      }()) {
    shared.add({"file", "x"}, 1, {.participant = 0}, 0);
    const participant_index deciders[]{2, 3};
    open.open({.id = {1, 2},
               .by = {.who = 1},
               .what = {"file", "x"},
               .found = {.current = shared.find({"file", "x"}),
                         .authors = {{.participant = 0}}},
               .made = {2}},
              deciders);
  }

  answer_kind vote(participant_index by, const char* in_favour_of) {
    const auto asked = std::ranges::find(out.deliveries, by, &delivery::to);
    REQUIRE(asked != out.deliveries.end());
    protocol::reply reply{
      .vote = protocol::vote{asked->what.conflict->conflict_id, in_favour_of}};
    return open.take_answer(by, asked->what.token, reply, no_participant,
                            settled);
  }

  request_table requests{4};
  action_book actions{who, log, scenario.options.budget};
  dispute_log disputes{who, log, shared};
  open_conflicts open{who, log, requests, actions, shared, disputes};
  std::optional<settled_conflict> settled;
};

} // namespace

TEST_CASE("a conflict is open until the majority of the votes is certain") {
  assembly of;
  CHECK(of.open.is_disputed({"file", "x"}));
  CHECK(of.vote(2, "b") == answer_kind::counted);
  CHECK_FALSE(of.settled);
  CHECK(of.vote(3, "b") == answer_kind::settled);
  REQUIRE(of.settled);
  CHECK(of.settled->ruled.outcome == resolution_kind::replace);
  CHECK_FALSE(of.open.is_disputed({"file", "x"}));
  CHECK(of.vote(3, "a") == answer_kind::too_late);
}

TEST_CASE("votes count for nobody but the two sides") {
  assembly of;
  of.vote(2, "b");
  of.vote(3, "d");
  REQUIRE(of.settled);
  CHECK(of.settled->about.votes.size() == 1);
  CHECK(of.settled->ruled.outcome == resolution_kind::replace);
}

TEST_CASE("an open conflict ends with its time") {
  assembly of;
  CHECK(of.open.deadline(of.now + 9999) == of.now + 1000);
  std::size_t at = 0;
  CHECK_FALSE(of.open.next_expired(at));
  of.vote(2, "a");
  of.pass(1000);
  at = 0;
  const auto settled = of.open.next_expired(at);
  REQUIRE(settled);
  CHECK(settled->ruled.outcome == resolution_kind::keep);
  CHECK(of.open.empty());
  CHECK(of.out.notices.back().to == 3);
}

TEST_CASE("who is lost has no vote any more") {
  assembly of;
  of.vote(2, "b");
  of.who.lose(3);
  std::size_t at = 0;
  const auto settled = of.open.next_without(3, at);
  REQUIRE(settled);
  CHECK(settled->ruled.outcome == resolution_kind::replace);
}
