#include <catch2/catch.hpp>
#include <convene/modes/catalog.hpp>
#include <support/log_laws.hpp>
#include <support/writing.hpp>

using namespace convene;
using namespace convene::session;
using namespace convene::test;
using protocol::dispatch_decision;

namespace {

using refs = std::vector<protocol::resource_ref>;

const routing_policy& orchestrated_mode() {
  return *modes::find("orchestrated");
}

rig led() {
  auto made = make_spec(protocol::mode::orchestrated,
                        {"orchestrator", "b", "c", "d"});
  made.collab.participants[3].kind = protocol::participant_kind::human;
  made.options.turn_timeout_ms = 1000;
  made.workspace = {{"file", "x", 0}, {"file", "y", 0}};
  return rig::started(made, orchestrated_mode());
}

dispatch_decision gives(std::string who, refs resources) {
  return {.participant = std::move(who), .resources = std::move(resources)};
}

std::vector<event> decide(rig& bench, std::vector<protocol::decision> what) {
  return bench.answer("orchestrator", decides(std::move(what)));
}

/// Why the decision is refused while b has file x; empty: it is carried out.
std::string refusal(protocol::decision what) {
  auto bench = led();
  decide(bench, {gives("b", {{"file", "x"}}), gives("c", {})});
  bench.answer("c");
  const auto asked = bench.asked.size();
  decide(bench, {std::move(what)});
  CHECK(bench.ending() == "");
  const auto& last = bench.last();
  return bench.asked.size() > asked && last.kind == request_kind::decision
           ? last.decide->refused
           : "";
}

bool names(const std::string& reason, std::string_view what) {
  return reason.find(what) != std::string::npos;
}

void check_log(rig& bench) {
  if (bench.ending().empty())
    bench.feed(cancel{"enough"});
  CHECK(broken_laws(bench.lines, true) == texts{});
  CHECK_FALSE(replay(bench.lines, modes::find));
}

} // namespace

TEST_CASE("one decision gives several turns whose resources are apart") {
  auto bench = led();
  const auto made
    = decide(bench, {gives("b", {{"file", "x"}}), gives("c", {{"file", "y"}})});
  CHECK(bench.order() == texts{"orchestrator", "b", "c"});
  CHECK(made[1].at("resources")
        == R"([{"resource_type":"file","resource_id":"x"}])");
  CHECK(bench.asked[1].what.terms->limited);
  bench.answer("c", with({writes("y", 1, 1)}));
  bench.answer("b", with({writes("x", 1, 2)}));
  CHECK(standing(bench.machine()) == texts{"x2=2 by b", "y2=1 by c"});
  check_log(bench);
}

TEST_CASE("a turn writes the resources that it names and no others") {
  auto bench = led();
  decide(bench, {gives("b", {{"file", "x"}})});
  const auto made = bench.answer("b",
                                 with({writes("y", 1, 1), writes("x", 1, 2)}));
  CHECK(made[0].at("conflict_type") == "exclusive_write_violation");
  CHECK(made[0].at("resource_id") == "y");
  CHECK(told(bench, "b")
        == texts{"write_refused: exclusive_write_violation: file y"});
  CHECK(standing(bench.machine()) == texts{"x2=2 by b", "y1=0"});
  check_log(bench);
}

TEST_CASE("the orchestrator is asked after each turn and may wait") {
  auto bench = led();
  decide(bench, {gives("b", {{"file", "x"}}), gives("c", {{"file", "y"}})});
  bench.answer("c", "done");
  CHECK(bench.last().kind == request_kind::decision);
  CHECK(bench.last().decide->outstanding == 1);
  CHECK(bench.last().decide->last_participant == 2);
  decide(bench, {protocol::wait_decision{}});
  CHECK(bench.ending() == "");
  bench.answer("b", fails());
  CHECK(bench.last().decide->last_status == "failed");
  CHECK(bench.last().decide->also_closed.empty());
  decide(bench, {protocol::complete_decision{}});
  CHECK(bench.ending() == "completed: orchestrator_complete");
  check_log(bench);
}

TEST_CASE("what closes while the orchestrator decides is told to it next") {
  auto bench = led();
  decide(bench, {gives("b", {{"file", "x"}}), gives("c", {{"file", "y"}}),
                 gives("d", {})});
  bench.answer("b", "first");
  const auto asked = bench.asked.size();
  bench.answer("c", fails());
  bench.answer("d", "third");
  CHECK(bench.asked.size() == asked);
  decide(bench, {gives("b", {})});
  REQUIRE(bench.last().kind == request_kind::decision);
  const auto& told = *bench.last().decide;
  REQUIRE(told.also_closed.size() == 1);
  CHECK(told.also_closed[0].participant == 2);
  CHECK(told.also_closed[0].status == "failed");
  CHECK(told.last_participant == 3);
  CHECK(told.last_content == "third");
  check_log(bench);
}

TEST_CASE("what an orchestrator was told and did not decide on is told again") {
  auto bench = led();
  decide(bench, {gives("b", {{"file", "x"}}), gives("c", {{"file", "y"}}),
                 gives("d", {})});
  bench.answer("b", "first");
  bench.answer("c", fails());
  bench.answer("d", "third");
  decide(bench, {gives("b", {})});
  REQUIRE(bench.last().decide->also_closed.size() == 1);
  bench.pass(1000); // no decision
  REQUIRE(bench.last().kind == request_kind::decision);
  const auto& told = bench.last().decide->also_closed;
  REQUIRE_FALSE(told.empty());
  CHECK(told[0].participant == 2);
  check_log(bench);
}

TEST_CASE("a deputy is asked at once what the lost orchestrator was asked") {
  auto made = make_spec(protocol::mode::orchestrated,
                        {"orchestrator", "b", "c", "d"});
  made.options.deputy = "d";
  made.workspace = {{"file", "x", 0}, {"file", "y", 0}};
  auto bench = rig::started(made, orchestrated_mode());
  decide(bench, {gives("b", {{"file", "x"}}), gives("c", {{"file", "y"}})});
  bench.answer("b", "first");
  bench.lose("orchestrator");
  REQUIRE(bench.last().kind == request_kind::decision);
  CHECK(bench.order().back() == "d");
  CHECK(bench.last().decide->last_content == "first");
  check_log(bench);
}

TEST_CASE("waiting for what has come meanwhile is no mistake") {
  auto bench = led();
  decide(bench, {gives("b", {{"file", "x"}}), gives("c", {{"file", "y"}})});
  bench.answer("b");
  bench.answer("c");
  decide(bench, {protocol::wait_decision{}});
  CHECK(bench.last().kind == request_kind::decision);
  CHECK(bench.last().decide->refused == "");
  CHECK(bench.last().decide->last_participant == 2);
  decide(bench, {protocol::wait_decision{}});
  CHECK(names(bench.last().decide->refused, "no turn is open"));
  check_log(bench);
}

TEST_CASE("turns that would get in each other's way are refused by reason") {
  CHECK(refusal(gives("c", {{"file", "y"}})) == "");
  CHECK(names(refusal(gives("c", {{"file", "x"}})), "file x is a resource"));
  CHECK(names(refusal(gives("c", {{"file", "x"}})), "resources_overlap"));
  CHECK(names(refusal(gives("b", {})), "has a turn already"));
  CHECK(names(refusal(dispatch_decision{.participant = "c"}),
              "must name its `resources`"));
  CHECK(names(refusal(protocol::broadcast_decision{}), "goes alone"));
  CHECK(refusal(protocol::handoff{"c"}) == ""); // writes what no other names
  auto bench = led();
  decide(bench, {gives("b", {{"file", "x"}}), gives("c", {{"file", "x"}})});
  CHECK(bench.order() == texts{"orchestrator", "orchestrator"});
  CHECK(names(bench.last().decide->refused, "resources_overlap"));
  decide(bench, {dispatch_decision{.participant = "b"}, gives("c", {})});
  CHECK(names(bench.last().decide->refused, "may write anything"));
  check_log(bench);
}

TEST_CASE("an orchestrator's handoff gives a turn that is linked to it") {
  auto bench = led();
  const auto made = decide(bench, {protocol::handoff{"c", "take it", "why"}});
  CHECK(made[1].type == "MAPHandoffInitiated");
  CHECK(made[1].at("from_participant") == "orchestrator");
  CHECK(made[1].at("token_id") == made[0].at("request_id"));
  CHECK_FALSE(made[1].payload.contains("turn_number"));
  CHECK(made[2].type == "handoff_added");
  CHECK(made[3].at("participant_id") == "c");
  CHECK(made[3].at("handoff_id") == made[1].at("handoff_id"));
  CHECK(bench.last().task == "take it");
  bench.answer("c");
  CHECK(bench.last().kind == request_kind::decision);
  decide(bench, {protocol::handoff{"b"}, protocol::handoff{"c"}});
  CHECK(names(bench.last().decide->refused, "one_handoff_per_turn"));
  decide(bench, {protocol::handoff{"orchestrator"}});
  CHECK(names(bench.last().decide->refused, "handoff_to_self"));
  check_log(bench);
}

TEST_CASE("a turn that is handed on writes what no other open turn names") {
  auto bench = led();
  decide(bench, {gives("b", {{"file", "x"}}), gives("c", {{"file", "y"}})});
  bench.answer("b", {.handoff = protocol::handoff{"d"}});
  CHECK(bench.order().back() == "d");
  CHECK(bench.last().terms->resources.empty());
  // Nothing has closed for good, so the orchestrator is not asked.
  CHECK(bench.asked.size() == 4);
  bench.answer("d", {.writes = {writes("x", 1, 1)},
                     .handoff = protocol::handoff{"c"}});
  CHECK(bench.asked.size() == 4);
  bench.answer("c");
  CHECK(bench.order()
        == texts{"orchestrator", "b", "c", "d", "c", "orchestrator"});
  decide(bench, {gives("b", {{"file", "x"}})});
  CHECK(bench.order().back() == "b");
  bench.answer("c", with({writes("x", 2, 2), writes("y", 1, 3)}));
  CHECK(standing(bench.machine()) == texts{"x2=1 by d", "y2=3 by c"});
  check_log(bench);
}

TEST_CASE("a handoff to the orchestrator waits until it has decided") {
  auto bench = led();
  decide(bench, {gives("b", {{"file", "x"}}), gives("c", {{"file", "y"}})});
  bench.answer("b");
  bench.answer("c",
               {.handoff = protocol::handoff{"orchestrator", "you do it"}});
  CHECK(bench.order().back() == "orchestrator");
  decide(bench, {protocol::wait_decision{}});
  CHECK(bench.last().kind == request_kind::turn);
  CHECK(bench.last().task == "you do it");
  bench.answer("orchestrator", "done");
  CHECK(bench.last().kind == request_kind::decision);
  check_log(bench);
}

TEST_CASE("a person is asked beside others and writes nothing") {
  auto bench = led();
  decide(bench, {gives("b", {{"file", "x"}}),
                 protocol::ask_decision{.task = "ship it?"}});
  CHECK(bench.order().back() == "d");
  CHECK(bench.last().task == "ship it?");
  const auto made = bench.answer("d", with({writes("y", 1, 1)}));
  CHECK(made[0].at("conflict_type") == "exclusive_write_violation");
  CHECK(names(refusal(protocol::ask_decision{"c", "why?"}), "no person"));
  CHECK(names(refusal(protocol::ask_decision{"x", "why?"}), "unknown"));
  CHECK(refusal(protocol::ask_decision{"d", "why?"}) == "");
  check_log(bench);
}
