#include <catch2/catch.hpp>
#include <convene/modes/catalog.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/session/single_agent/arrangement.hpp>
#include <convene/session/single_agent/rollback_book.hpp>
#include <support/dice.hpp>
#include <support/rig.hpp>

#include <utility>

using namespace convene;
using namespace convene::session;
using namespace convene::test;

namespace {

namespace json = boost::json;

/// Executors of `tool`, of `model`, which nothing undoes, and those who have
/// compensations.
spec undoable(const std::vector<step>& steps) {
  auto made = make_spec(protocol::mode::swarm, {"t", "m", "undo"});
  made.collab.participants[0].role_id = "tool";
  made.collab.participants[1].role_id = "model";
  made.collab.participants[2].participant_id = compensation_id("tool");
  made.collab.participants[2].role_id = compensation_id("tool");
  made.collab.participants[2].kind = protocol::participant_kind::system;
  made.behaviours[compensation_id("tool")] = json::object{{"type", "echo"}};
  made.options.turn_timeout_ms = 1000;
  made.options.retries = 0;
  made.plan = make_plan(steps);
  return made;
}

run_stages stages_of(const rig& bench) {
  run_stages made;
  for (const auto& event : bench.events)
    made.feed(event.whole);
  return made;
}

/// Three steps of which the second cannot be undone.
run_stages three_stages() {
  auto bench = rig::started(undoable({{"one", "tool", {}},
                                      {"two", "model", {0}},
                                      {"three", "tool", {1}}}),
                            *modes::find("single_agent"));
  bench.answer("t", "1");
  bench.answer("m", "2");
  bench.answer("t", "3");
  REQUIRE(bench.ending() == "completed: plan_complete");
  return stages_of(bench);
}

std::string rule_of(const protocol::result<void>& done) {
  return done ? "" : done.error().rule;
}

rollback back_to_start(const run_stages& of, std::size_t attempt = 1) {
  return {.compensation_id = "c",
          .to = std::string{start_stage},
          .compensations = compensations_for(of, of.end_place(), 0),
          .attempt = attempt};
}

compensation ended(const rollback& what, std::size_t which,
                   compensation_status as) {
  auto made = what.compensations.at(which);
  made.status = as;
  return made;
}

using status = compensation_status;

} // namespace

TEST_CASE("the stages of a run are its start and each completed step") {
  const auto of = three_stages();
  REQUIRE(of.completed().size() == 3);
  CHECK(of.has_ended());
  CHECK(of.open().empty());
  CHECK(of.completed()[1].agent_role == "model");
  CHECK(of.completed()[1].done.at("output_summary") == "2");
  CHECK(of.place_of("start") == 0);
  CHECK(of.place_of(of.completed()[2].step_id) == 3);
  CHECK_FALSE(of.place_of("nowhere"));
  for (std::size_t place = 0; place < of.end_place(); ++place)
    CHECK(*of.events_at(place) < *of.events_at(place + 1));
}

TEST_CASE(
  "what is to be undone comes last first, without what nothing undoes") {
  const auto of = three_stages();
  const auto all = compensations_for(of, of.end_place(), 0);
  REQUIRE(all.size() == 2);
  CHECK(all[0].description == "three");
  CHECK(all[1].description == "one");
  CHECK(compensations_for(of, of.end_place(), 1).size() == 1);
  CHECK(compensations_for(of, 3, 3).empty());
  CHECK(without_compensation(of, of.end_place(), 0)
        == texts{of.completed()[1].step_id});
}

TEST_CASE("a book takes a rollback in its order, and nothing else") {
  const auto of = three_stages();
  const auto what = back_to_start(of);
  const auto planned = rollback_planned(what, of, of.end_place(), "test");
  const auto first = compensation_ended(what,
                                        ended(what, 0, status::completed));
  const auto second = compensation_ended(what,
                                         ended(what, 1, status::completed));
  const json::object graph{{"event_type", "graph_rolled_back"},
                           {"payload", {{"compensation_id", "c"}}}};
  const auto executed = rollback_executed(what, 0);
  const std::vector<json::object> order{planned, first, second, graph,
                                        executed};
  rollback_book book{of};
  auto forwards = planned;
  auto& steps = forwards["payload"].as_object()["steps"].as_array();
  REQUIRE(steps.size() == 2);
  std::swap(steps[0], steps[1]);
  CHECK(rule_of(book.feed(forwards)) == "rollback_steps");
  for (std::size_t i = 0; i < order.size(); ++i) {
    INFO("event " << i);
    for (std::size_t other = 0; other < order.size(); ++other) {
      if (other == i)
        continue;
      auto copy = book;
      INFO("and not " << other);
      CHECK_FALSE(copy.feed(order[other]));
    }
    REQUIRE(book.feed(order[i]));
  }
  CHECK(book.open() == nullptr);
  CHECK(book.place() == 0);
  CHECK(rule_of(book.feed(planned)) == "rollback_event");
}

TEST_CASE("a compensation that failed is run again, one of unknown outcome if "
          "it is not settled") {
  const auto of = three_stages();
  const auto as = GENERATE(status::failed, status::unknown);
  const bool settles = GENERATE(true, false);
  rollback_book book{of};
  REQUIRE(
    book.feed(rollback_planned(back_to_start(of), of, of.end_place(), "test")));
  REQUIRE(
    book.feed(compensation_ended(*book.open(), ended(*book.open(), 0, as))));
  CHECK(rule_of(book.feed(compensation_ended(
          *book.open(), ended(*book.open(), 1, status::completed))))
        == "rollback_order");
  CHECK(rule_of(book.feed(rollback_continued(*book.open(), 2, {})))
        == "rollback_order");
  REQUIRE(book.feed(rollback_failed(*book.open())));
  CHECK(rule_of(book.feed(rollback_failed(*book.open()))) == "rollback_order");
  const auto settled = settles ? texts{book.open()->compensations[0].step_id}
                               : texts{};
  const auto done = book.feed(rollback_continued(*book.open(), 2, settled));
  if (settles && as == status::failed) {
    CHECK(rule_of(done) == "rollback_event");
    return;
  }
  REQUIRE(done);
  CHECK(book.attempts() == 2);
  CHECK(book.open()->compensations[0].status
        == (settles ? status::completed : status::pending));
  if (settles)
    CHECK(rule_of(book.feed(compensation_ended(
            *book.open(), ended(*book.open(), 0, status::completed))))
          == "compensation_once");
}

TEST_CASE("a plan for other steps, or in another order, is refused") {
  const auto of = three_stages();
  auto what = back_to_start(of);
  rollback_book book{of};
  SECTION("in the order in which they were completed") {
    std::swap(what.compensations[0], what.compensations[1]);
  }
  SECTION("one is missing") {
    what.compensations.pop_back();
  }
  SECTION("one is there twice") {
    what.compensations.push_back(what.compensations[0]);
  }
  CHECK(rule_of(book.feed(rollback_planned(what, of, of.end_place(), "test")))
        == "rollback_steps");
}

TEST_CASE("a planned step's id is compared as a whole, zero bytes and all") {
  const auto of = three_stages();
  auto planned = rollback_planned(back_to_start(of), of, of.end_place(),
                                  "test");
  auto& steps = planned["payload"].as_object()["steps"].as_array();
  auto ids = json::array{};
  for (const auto& step : steps)
    ids.push_back(step.at("step_id"));
  steps = ids;
  REQUIRE(rollback_book{of}.feed(planned));
  planned["payload"].as_object()["steps"].as_array()[0].as_string().append(
    std::string_view{"\0more", 5});
  CHECK(rule_of(rollback_book{of}.feed(planned)) == "rollback_steps");
}

TEST_CASE("only the compensation of unknown outcome is settled") {
  const auto of = three_stages();
  rollback_book book{of};
  REQUIRE(
    book.feed(rollback_planned(back_to_start(of), of, of.end_place(), "test")));
  REQUIRE(book.feed(
    compensation_ended(*book.open(), ended(*book.open(), 0, status::unknown))));
  REQUIRE(book.feed(rollback_failed(*book.open())));
  const auto other
    = GENERATE_COPY(texts{"nobody"},
                    texts{book.open()->compensations[1].step_id},
                    texts{book.open()->compensations[0].step_id, "nobody"});
  CHECK(rule_of(book.feed(rollback_continued(*book.open(), 2, other)))
        == "rollback_event");
}

TEST_CASE("an attempt tells how each compensation ended") {
  const auto of = three_stages();
  const auto what = back_to_start(of);
  // Its plan has the ids of the steps that it undoes, and one waits for the
  // other.
  auto attempt
    = undoable({{"undo three", "tool", {}}, {"undo one", "tool", {0}}});
  attempt.plan->steps[0].step_id = what.compensations[0].step_id;
  attempt.plan->steps[1].step_id = what.compensations[1].step_id;
  attempt.plan->steps[1].dependencies = {{what.compensations[0].step_id}};
  auto bench = rig::started(attempt, *modes::find("single_agent"));
  const auto outcome = GENERATE(0, 1, 2);
  bench.answer("t", outcome == 0   ? says("ok")
                    : outcome == 1 ? fails("broken")
                                   : fails("outcome_unknown"));
  if (outcome == 0)
    bench.answer("t");
  const auto attempted = stages_of(bench);
  const auto three = outcome_of(what.compensations[0], attempted);
  REQUIRE(three);
  CHECK(three->status
        == (outcome == 0   ? status::completed
            : outcome == 1 ? status::failed
                           : status::unknown));
  if (outcome == 1) {
    CHECK(three->failure.code == "broken");
    CHECK(three->failure.message == "it did not work");
    rollback_book book{of};
    REQUIRE(book.feed(rollback_planned(what, of, of.end_place(), "test")));
    REQUIRE(book.feed(compensation_ended(what, *three)));
    CHECK(book.open()->compensations[0].failure.message == "it did not work");
  }
  CHECK(outcome_of(what.compensations[1], attempted).has_value()
        == (outcome == 0));
}
