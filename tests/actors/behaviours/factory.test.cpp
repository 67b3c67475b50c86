#include "asked.hpp"

#include <boost/json/parse.hpp>
#include <catch2/catch.hpp>
#include <convene/actors/behaviours/factory.hpp>

using namespace convene;
using namespace convene::actors;
using protocol::errc;
using protocol::participant_kind;

namespace {

protocol::result<std::unique_ptr<behaviour>> make(std::string_view config,
                                                  behaviour_setup whose = {}) {
  return make_behaviour(boost::json::parse({config.data(), config.size()}),
                        whose, "/behaviours/a");
}

answer answer_to(std::string_view config, const turn_request& request,
                 behaviour_setup whose = {}) {
  auto made = make(config, whose);
  REQUIRE(made);
  return (*made)->respond(request);
}

session::spec spec_of(std::vector<protocol::participant> who,
                      std::string_view behaviours) {
  session::spec made;
  made.collab.participants = std::move(who);
  made.behaviours
    = boost::json::parse({behaviours.data(), behaviours.size()}).as_object();
  return made;
}

std::string said_by(const session::spec& what, std::size_t who) {
  auto made = behaviour_for(what, what.collab.participants.at(who), 0);
  REQUIRE(made);
  return (*made)->respond(asked::turn("it")).reply.content;
}

} // namespace

TEST_CASE("each known type of behaviour can be made") {
  const auto turn = asked::turn("it");
  CHECK(answer_to(R"({"type": "echo"})", turn).reply.content == "echo: it");
  CHECK(
    answer_to(R"({"type": "plan", "on_failure": "fail"})", turn).reply.content
    == "echo: it");
  CHECK(answer_to(R"({"type": "script", "turns": [{"content": "x"}]})", turn)
          .reply.content
        == "x");
  CHECK(
    answer_to(R"({"type": "simulated", "content": "y"})", turn).reply.content
    == "y");
}

TEST_CASE("settings reach the behaviour") {
  auto failing = asked::decision({"b"});
  failing.decide.steps_total = 2;
  failing.decide.steps_open = 2;
  failing.decide.ready = {{.step_id = "s", .attempts = 3}};
  const auto by = [&](std::string_view config, behaviour_setup whose = {}) {
    return answer_to(config, failing, whose).reply.decision;
  };
  CHECK(by(R"({"type": "plan", "retries": 3})")
        == std::vector<protocol::decision>{
          protocol::dispatch_decision{.step_id = "s"}});
  CHECK(by(R"({"type": "plan"})", {.retries = 3}).size() == 1);
  CHECK(by(R"({"type": "plan"})").size() == 2);
  CHECK(by(R"({"type": "plan", "on_failure": "skip"})").size() == 1);

  const auto request = asked::turn("it", 2);
  const auto script = R"({"type": "script", "turns": [{"content": "x"},
    {"content": "y"}], "repeat": true})";
  CHECK(answer_to(script, request).reply.content == "x");
  CHECK(answer_to(R"({"type": "script", "latency_ms": 30})", request).delay_ms
        == 30);
  const auto paced = R"({"type": "script", "turn_latency_ms": [10, 20],
    "latency_ms": 30})";
  CHECK(answer_to(paced, asked::turn("it", 1)).delay_ms == 20);
  CHECK(answer_to(paced, request).delay_ms == 30);
  CHECK(answer_to(paced, failing).delay_ms == 30);
  CHECK(answer_to(R"({"type": "script", "turn_latency_ms": [10, 20],
    "repeat": true})",
                  request)
          .delay_ms
        == 10);
  CHECK(answer_to(R"({"type": "script", "after": {"content": "z"}})", request)
          .reply.content
        == "z");

  const auto simulated = [&](const std::string& rest) {
    return answer_to(R"({"type": "simulated", )" + rest + '}', request);
  };
  CHECK(simulated(R"("silence": 1)").silent);
  CHECK(simulated(R"("failure": 1)").reply.status
        == protocol::reply_status::failed);
  CHECK(simulated(R"("decline": 1)").reply.status
        == protocol::reply_status::declined);
  CHECK(simulated(R"("end": 1)").reply.end);
  CHECK(simulated(R"("latency_ms": 7)").delay_ms == 7);
  CHECK(simulated(R"("latency_ms": {"constant": 8})").delay_ms == 8);
  CHECK(simulated(R"("latency_ms": {"uniform": {"min": 9, "max": 9}})").delay_ms
        == 9);
  CHECK(simulated(R"("latency_ms": {"lognormal": {"median": 6, "p99": 6}})")
          .delay_ms
        == 6);
  CHECK(simulated(R"("content_bytes": 12)").reply.content.size() == 12);
  CHECK(simulated(R"("content_bytes": null)").reply.content == "simulated: it");
  CHECK(simulated(R"("usage": {"prompt_tokens": 5, "completion_tokens":
                     {"constant": 6}, "cost_microusd": 7})")
          .reply.usage
        == protocol::usage{5, 6, 7});
  const auto busy = simulated(
    R"("writes": {"share": 1, "stale": 0, "value_bytes": 3, "resources":
         [{"resource_type": "file", "resource_id": "a"}]},
       "claims": {"share": 1, "resources":
         [{"resource_type": "file", "resource_id": "b"}]},
       "handoffs": {"share": 1, "to": ["ben"]},
       "tasks": {"share": 1, "role": "r"})");
  REQUIRE(busy.reply.writes.size() == 1);
  CHECK(busy.reply.writes[0].resource_id == "a");
  CHECK(busy.reply.writes[0].value == "sim");
  CHECK(busy.reply.claim.at(0).resource_id == "b");
  CHECK(busy.reply.handoff->to == "ben");
  CHECK(busy.reply.tasks.at(0).role == "r");
}

TEST_CASE("the seed and the id decide what a simulated participant draws") {
  const auto config = R"({"type": "simulated", "latency_ms":
    {"uniform": {"min": 0, "max": 1000000000}}})";
  const auto drawn = [&](std::string id, std::uint64_t seed) {
    return answer_to(config, asked::turn("it"),
                     {.participant_id = std::move(id), .seed = seed})
      .delay_ms;
  };
  CHECK(drawn("a", 1) == drawn("a", 1));
  CHECK(drawn("a", 1) != drawn("b", 1));
  CHECK(drawn("a", 1) != drawn("a", 2));
}

TEST_CASE("an orchestrator's script takes one decision or several at a time") {
  const auto config = R"({"type": "script", "decisions": [
    {"dispatch": {"participant": "b"}},
    [{"dispatch": {"participant": "c"}}, {"dispatch": {"participant": "d"}}]
  ]})";
  using protocol::dispatch_decision;
  using decisions = std::vector<protocol::decision>;
  CHECK(answer_to(config, asked::decision({}, 0)).reply.decision
        == decisions{dispatch_decision{.participant = "b"}});
  CHECK(answer_to(config, asked::decision({}, 1)).reply.decision
        == decisions{dispatch_decision{.participant = "c"},
                     dispatch_decision{.participant = "d"}});
}

TEST_CASE("settings that make no sense are refused with their place") {
  struct row {
    std::string_view config;
    std::string_view pointer;
    std::string_view rule;
  };
  const auto [config, pointer, rule] = GENERATE(values<row>({
    {R"(7)", "", "type"},
    {R"({})", "", "required"},
    {R"({"type": 1})", "/type", "type"},
    {R"({"type": "parrot"})", "/type", "enum"},
    {R"({"type": "echo", "loud": true})", "/loud", "additionalProperties"},
    {R"({"type": "echo", "a/b~": true})", "/a~1b~0", "additionalProperties"},
    {R"({"type": "plan", "retries": -1})", "/retries", "minimum"},
    {R"({"type": "plan", "retries": 1.5})", "/retries", "type"},
    {R"({"type": "plan", "retries": 18446744073709551615})", "/retries",
     "maximum"},
    {R"({"type": "plan", "on_failure": "cry"})", "/on_failure", "enum"},
    {R"({"type": "simulated", "writes": {"share": 1}})", "/writes", "required"},
    {R"({"type": "simulated", "tasks": {"share": 2}})", "/tasks/share",
     "maximum"},
    {R"({"type": "simulated", "handoffs": {"share": 1, "to": [3]}})",
     "/handoffs/to/0", "type"},
    {R"({"type": "simulated", "usage": {"tokens": 1}})", "/usage/tokens",
     "additionalProperties"},
    {R"({"type": "simulated", "content": "", "content_bytes": 1})", "",
     "one_content"},
    {R"({"type": "simulated", "content_bytes": 1000001})", "",
     "simulated_bytes_max"},
    {R"({"type": "script", "turns": {}})", "/turns", "type"},
    {R"({"type": "script", "turns": [{}, 1]})", "/turns/1", "type"},
    {R"({"type": "script", "repeat": "yes"})", "/repeat", "type"},
    {R"({"type": "script", "latency_ms": 1.5})", "/latency_ms", "type"},
    {R"({"type": "script", "latency_ms": -1})", "/latency_ms", "minimum"},
    {R"({"type": "script", "turn_latency_ms": [1, -1]})", "/turn_latency_ms/1",
     "minimum"},
    {R"({"type": "simulated", "failure": 1.01})", "/failure", "maximum"},
    {R"({"type": "simulated", "failure": "often"})", "/failure", "type"},
    {R"({"type": "simulated", "content": 1})", "/content", "type"},
    {R"({"type": "simulated", "silence": 0.6, "decline": 0.6})", "", "maximum"},
    {R"({"type": "simulated", "latency_ms": -1})", "/latency_ms", "minimum"},
    {R"({"type": "simulated", "latency_ms": 1e300})", "/latency_ms", "maximum"},
    {R"({"type": "simulated", "latency_ms": "long"})", "/latency_ms", "type"},
    {R"({"type": "simulated", "latency_ms": {}})", "/latency_ms", "oneOf"},
    {R"({"type": "simulated", "latency_ms": {"poisson": 1}})",
     "/latency_ms/poisson", "additionalProperties"},
    {R"({"type": "simulated", "latency_ms": {"constant": null}})",
     "/latency_ms/constant", "type"},
    {R"({"type": "simulated", "latency_ms": {"uniform": 1}})",
     "/latency_ms/uniform", "type"},
    {R"({"type": "simulated", "latency_ms": {"uniform": {"min": 1}}})",
     "/latency_ms/uniform", "required"},
    {R"({"type": "simulated", "latency_ms":
        {"uniform": {"min": 2, "max": 1}}})",
     "/latency_ms/uniform", "order"},
    {R"({"type": "simulated", "latency_ms":
        {"lognormal": {"median": 0, "p99": 1}}})",
     "/latency_ms/lognormal/median", "minimum"},
    {R"({"type": "simulated", "latency_ms":
        {"lognormal": {"median": 1, "p99": 2, "p50": 1}}})",
     "/latency_ms/lognormal/p50", "additionalProperties"},
  }));
  CAPTURE(config);
  const auto made = make(config);
  REQUIRE_FALSE(made);
  CHECK(made.error().code == errc::invalid_document);
  CHECK(made.error().pointer == "/behaviours/a" + std::string{pointer});
  CHECK(made.error().rule == rule);
}

TEST_CASE("an unknown type is refused with what was found and what is known") {
  const auto made = make(R"({"type": "parrot"})");
  REQUIRE_FALSE(made);
  CHECK(made.error().value == R"("parrot")");
  CHECK(made.error().message
        == "write one of echo, plan, script, simulated, reactive, recorded, "
           "llm, process, http, a2a, mcp, human, external, application");
}

TEST_CASE("a fault in a scripted reply is reported where it stands") {
  const auto pointer_of = [](std::string_view config) {
    const auto made = make(config);
    REQUIRE_FALSE(made);
    return made.error().pointer;
  };
  CHECK(pointer_of(R"({"type": "script", "turns": [{"content": 1}]})")
        == "/behaviours/a/turns/0/content");
  CHECK(pointer_of(R"({"type": "script", "after": {"content": 1}})")
        == "/behaviours/a/after/content");
  using Catch::Matchers::StartsWith;
  CHECK_THAT(pointer_of(R"({"type": "script", "decisions": [{"x": 1}]})"),
             StartsWith("/behaviours/a/decisions/0")
               && !Catch::Contains("decision/"));
  CHECK_THAT(pointer_of(R"({"type": "script", "decisions": [[{"x": 1}]]})"),
             StartsWith("/behaviours/a/decisions/0/0"));
  CHECK(pointer_of(R"({"type": "script", "decisions": [], "turns": [{},
    {"decision": [{"wait": {}}]}]})")
        == "/behaviours/a/turns/1/decision");
  CHECK(pointer_of(R"({"type": "script", "decisions": [],
    "after": {"decision": [{"wait": {}}]}})")
        == "/behaviours/a/after/decision");
}

TEST_CASE("types that this version cannot run are named as such") {
  const std::string type = GENERATE("llm", "human", "process", "http", "a2a",
                                    "external");
  const auto made = make(R"({"type": ")" + type + R"(", "model": "m"})");
  REQUIRE_FALSE(made);
  CHECK(made.error().code == errc::unsupported);
  CHECK(made.error().rule == type);
  CHECK(made.error().pointer == "/behaviours/a/type");
}

TEST_CASE("a participant has its own behaviour, or everybody's, or echo") {
  const auto what = spec_of({{.participant_id = "a"}, {.participant_id = "b"}},
                            R"({"a": {"type": "simulated", "content": "own"},
        "*": {"type": "simulated", "content": "shared"}})");
  CHECK(said_by(what, 0) == "own");
  CHECK(said_by(what, 1) == "shared");
  CHECK(said_by(spec_of({{.participant_id = "a"}}, "{}"), 0) == "echo: it");
}

TEST_CASE("an orchestrator that nothing binds decides by the session's plan") {
  auto what = spec_of({{.participant_id = "lead"}}, "{}");
  what.options.rounds = 2;
  auto made = behaviour_for(what, what.collab.participants[0], 0);
  REQUIRE(made);
  const auto request = asked::decision({"a"}, 1);
  CHECK((*made)->respond(request).reply.decision
        == std::vector<protocol::decision>{
          protocol::dispatch_decision{.participant = "a"}});
}

TEST_CASE("people and external systems are bound by their own id only") {
  const auto kind = GENERATE(participant_kind::human,
                             participant_kind::external);
  const auto bound_by = [&](std::string_view behaviours) {
    return behaviours_for(
      spec_of({{.participant_id = "ana", .kind = kind}}, behaviours), 0);
  };
  CHECK(bound_by(R"({"ana": {"type": "echo"}})"));
  for (const auto* behaviours : {"{}", R"({"*": {"type": "echo"}})"}) {
    const auto made = bound_by(behaviours);
    REQUIRE_FALSE(made);
    CHECK(made.error().code == errc::activation_refused);
    CHECK(made.error().rule == "participant_unbound");
    CHECK(made.error().value == "ana");
  }
}

TEST_CASE("a session has one behaviour for each participant, in its order") {
  const auto what = spec_of({{.participant_id = "b"}, {.participant_id = "a"}},
                            R"({"b": {"type": "simulated", "content": "1"}})");
  const auto all = behaviours_for(what, 0);
  REQUIRE(all);
  REQUIRE(all->size() == 2);
  CHECK((*all)[0]->respond(asked::turn("it")).reply.content == "1");
  CHECK((*all)[1]->respond(asked::turn("it")).reply.content == "echo: it");
}

TEST_CASE("whoever is under * behaves as if the settings were their own") {
  const std::string settings = GENERATE(
    R"({"type": "echo"})", R"({"type": "plan"})",
    R"({"type": "script", "turns": [{"content": "1"}, {"content": "2"}]})",
    R"({"type": "simulated", "content": "s", "failure": 0.3,
        "latency_ms": {"uniform": {"min": 0, "max": 9000}}})",
    R"({"type": "reactive", "latency_ms": {"uniform": {"min": 0, "max": 9000}},
        "rules": [{"when": {"request": {"at_most": 2}},
                   "then": [{"reply": {"content": "a"}},
                            {"reply": {"content": "b"}}]},
                  {"then": {"content": "${task} ${request}"}}]})",
    R"({"type": "reactive",
        "rules": [{"then": {"content": "I am ${participant_id}"}}]})",
    R"({"type": "reactive", "values": {"b": {"task": "mine"}},
        "rules": [{"then": {"content": "${task}"}}]})");
  CAPTURE(settings);
  const std::vector<protocol::participant> people{{.participant_id = "a"},
                                                  {.participant_id = "b"},
                                                  {.participant_id = "c"}};
  const auto own = behaviours_for(
    spec_of(people, R"({"a": )" + settings + R"(, "b": )" + settings
                      + R"(, "c": )" + settings + "}"),
    7);
  REQUIRE(own);
  const auto shared
    = behaviours_for(spec_of(people, R"({"*": )" + settings + "}"), 7);
  REQUIRE(shared);
  REQUIRE(shared->size() == people.size());
  for (std::size_t who = 0; who < people.size(); ++who)
    for (std::uint32_t n = 0; n < 5; ++n) {
      CAPTURE(who, n);
      const auto request = asked::turn("it", n);
      CHECK((*shared)[who]->respond(request) == (*own)[who]->respond(request));
    }
}

TEST_CASE("a fault in a scenario's behaviour names the member") {
  const auto pointer_of = [](std::string_view behaviours) {
    const auto all
      = behaviours_for(spec_of({{.participant_id = "~a"}}, behaviours), 0);
    REQUIRE_FALSE(all);
    return all.error().pointer;
  };
  CHECK(pointer_of(R"({"~a": {"type": "x"}})") == "/behaviours/~0a/type");
  CHECK(pointer_of(R"({"*": {"type": "x"}})") == "/behaviours/*/type");
}
