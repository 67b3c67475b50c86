#include "asked.hpp"

#include <catch2/catch.hpp>
#include <convene/actors/behaviours/participant_draws.hpp>
#include <convene/actors/behaviours/simulated.hpp>
#include <convene/actors/behaviours/task_places.hpp>

#include <memory>
#include <string>

using namespace convene;
using namespace convene::actors;

namespace {

session::spec with_steps() {
  session::spec made;
  made.task = "the whole";
  made.plan
    = protocol::plan{.steps = {{.step_id = "a-1", .description = "first"},
                               {.step_id = "a-2", .description = "second"}}};
  return made;
}

turn_request on_step(std::string id, std::uint32_t asked_before = 0) {
  auto made = asked::turn("do it", asked_before);
  made.step_id = std::move(id);
  return made;
}

std::string event(const std::string& type, const std::string& payload) {
  return R"({"event_type":")" + type + R"(","payload":{)" + payload + "}}\n";
}

/// The steps that a completed turn on `step` adds.
std::string adding(const std::string& step, const std::string& token,
                   const std::string& added) {
  return event("MAPTurnDispatched",
               R"("token_id":")" + token + R"(","step_id":")" + step + '"')
         + event("MAPTurnCompleted", R"("token_id":")" + token + '"')
         + event("step_added", R"("step":{"step_id":")" + added + R"("})");
}

} // namespace

TEST_CASE("a step is named by its place in the scenario, not by its id") {
  task_places places{with_steps()};
  CHECK(places.attempt_of(on_step("a-2")).place == "step 2");
  auto other = with_steps();
  other.plan->steps[1].step_id = "b-2";
  CHECK(task_places{other}.attempt_of(on_step("b-2")).place == "step 2");
}

TEST_CASE("each request about a step is its next attempt, whoever is asked") {
  task_places places{with_steps()};
  CHECK(places.attempt_of(on_step("a-1", 0)).number == 0);
  auto another = on_step("a-1", 7);
  another.participant = "somebody else";
  CHECK(places.attempt_of(another).number == 1);
  CHECK(places.attempt_of(on_step("a-2", 8)).number == 0);
}

TEST_CASE("a step that was added is named by what added it, and as which one") {
  task_places places{with_steps()};
  places.observe(adding("a-1", "t1", "n-1")
                 + event("step_added", R"("step":{"step_id":"n-2"})"));
  CHECK(places.attempt_of(on_step("n-1")).place == "step 1.1");
  CHECK(places.attempt_of(on_step("n-2")).place == "step 1.2");
  places.observe(adding("n-2", "t2", "n-3"));
  CHECK(places.attempt_of(on_step("n-3")).place == "step 1.2.1");
  // In another order, and with other ids, the names are the same.
  task_places others{with_steps()};
  others.observe(adding("a-2", "t8", "m-9") + adding("a-1", "t9", "m-1"));
  CHECK(others.attempt_of(on_step("m-1")).place == "step 1.1");
}

TEST_CASE("a plan that the session makes of its tasks has their places") {
  session::spec what;
  what.tasks = {{.title = "one"}, {.title = "two"}};
  task_places places{what};
  places.observe(event(
    "plan_created", R"("plan":{"steps":[{"step_id":"x"},{"step_id":"y"}]})"));
  CHECK(places.attempt_of(on_step("y")).place == "step 2");
}

TEST_CASE("what is no step is named by the task, or by who is asked") {
  task_places places{with_steps()};
  CHECK(places.attempt_of(asked::turn("the whole")).place == "task");
  CHECK(places.attempt_of(asked::turn("of its own")).place
        == "task of its own");
  auto message = asked::turn("the whole");
  message.kind = session::request_kind::broadcast;
  message.participant = "ada";
  CHECK(places.attempt_of(message).place == "broadcast ada");
  CHECK(places.attempt_of(message).number == 1);
  auto question = asked::vote({"x", "y"});
  question.participant = "ada";
  question.dispute.resource_type = "doc";
  question.dispute.resource_id = "plan";
  CHECK(places.attempt_of(question).place == "vote doc plan ada");
  auto decides = asked::decision({"x"});
  decides.participant = "lead";
  CHECK(places.attempt_of(decides).place == "decision lead");
}

TEST_CASE(
  "lines that say nothing of steps, or nothing at all, change nothing") {
  task_places places{with_steps()};
  places.observe("\"step_added\"\n{\"event_type\":\"step_added\"}\nx");
  places.observe(event("MAPTurnCompleted", R"("token_id":"unknown")"));
  CHECK(places.attempt_of(on_step("a-1")).place == "step 1");
}

TEST_CASE("in a study who is asked, and how often, changes no answer") {
  const simulation how{.latency = {distribution::shape::lognormal, 800, 6000},
                       .failure = 0.3};
  const auto answers = [&](const std::string& who, std::uint32_t before) {
    simulated_behaviour one{how, 5, who,
                            std::make_shared<task_places>(with_steps())};
    return std::pair{one.respond(on_step("a-1", before)),
                     one.respond(on_step("a-1", before + 1))};
  };
  const auto ann = answers("ann", 0);
  CHECK(ann == answers("bob", 40));
  CHECK(ann.first != ann.second); // another attempt, another draw
  CHECK(simulated_behaviour(how, 5, "ann").respond(on_step("a-1", 0))
        != simulated_behaviour(how, 5, "bob").respond(on_step("a-1", 40)));
}

TEST_CASE("how slow a participant is follows from seed and participant alone") {
  const simulation how{.latency = {.low = 1000},
                       .pace = {distribution::shape::uniform, 50, 300}};
  const auto delay = [&](std::uint64_t seed, const std::string& who,
                         std::uint32_t n, bool in_study) {
    simulated_behaviour one{how, seed, who,
                            in_study
                              ? std::make_shared<task_places>(with_steps())
                              : nullptr};
    return one.respond(on_step("a-1", n)).delay_ms;
  };
  const auto usual = delay(1, "ann", 0, false);
  CHECK(usual >= 500);
  CHECK(usual <= 3000);
  CHECK(usual == delay(1, "ann", 9, false));
  CHECK(usual == delay(1, "ann", 9, true));
  CHECK(usual != delay(1, "bob", 0, false));
  CHECK(usual != delay(2, "ann", 0, true));
}
