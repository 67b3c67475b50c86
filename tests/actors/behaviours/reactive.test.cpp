#include "asked.hpp"

#include <boost/json/parse.hpp>
#include <catch2/catch.hpp>
#include <convene/actors/behaviours/factory.hpp>
#include <convene/actors/behaviours/named_texts.hpp>
#include <convene/session/workspace/workspace.hpp>

#include <map>
#include <memory>
#include <string>
#include <utility>

using namespace convene;
using namespace convene::actors;
using protocol::errc;

namespace {

/// Participant `a` of a session with `b`, who answers by these settings.
std::unique_ptr<behaviour> reactive(const std::string& settings,
                                    std::uint64_t seed = 1,
                                    const std::string& id = "a") {
  auto made = make_behaviour(boost::json::parse(settings),
                             {.participant_id = id, .seed = seed}, "/b");
  INFO((made ? "" : to_string(made.error())));
  REQUIRE(made);
  return *std::move(made);
}

protocol::error refused(const std::string& settings) {
  const auto made = make_behaviour(boost::json::parse(settings),
                                   {.participant_id = "a"}, "/b");
  REQUIRE_FALSE(made);
  return made.error();
}

/// Two rules: `then` where `when` holds, else "no".
std::string one_rule(const std::string& when,
                     const std::string& then = R"({"content": "yes"})") {
  return R"({"type": "reactive", "rules": [{"when": )" + when + R"(, "then": )"
         + then + R"(}, {"then": {"content": "no"}}]})";
}

bool applies(const std::string& when, const turn_request& asked) {
  return reactive(one_rule(when))->respond(asked).reply.content == "yes";
}

turn_request with_file(const boost::json::value& value,
                       std::size_t versions = 1) {
  session::workspace shared;
  for (std::size_t i = 0; i < versions; ++i)
    shared.add({"file", "x"}, value, {}, 0, 0);
  auto made = asked::turn("it");
  made.workspace = shared.view();
  return made;
}

turn_request
after(const std::vector<std::pair<std::uint32_t, std::string>>& all) {
  auto about = std::make_shared<session::session_info>();
  about->participants = {{.participant_id = "a", .role_id = "role-a"},
                         {.participant_id = "b", .role_id = "role-b"}};
  about->role_names = {"", "reviewer"};
  auto made = asked::turn("it");
  made.about = about;
  for (const auto& [who, text] : all)
    made.window.add({.participant = who, .content = text});
  return made;
}

} // namespace

TEST_CASE("the first rule that applies answers") {
  const auto who = reactive(
    R"({"type": "reactive", "rules": [
         {"when": {"task": "^fix"}, "then": {"content": "first"}},
         {"when": {"task": "fix"}, "then": {"content": "second"}}]})");
  CHECK(who->respond(asked::turn("fix it")).reply.content == "first");
  CHECK(who->respond(asked::turn("please fix it")).reply.content == "second");
  CHECK(who->respond(asked::turn("rest")).reply == protocol::reply{});
}

TEST_CASE("without a rule votes are abstained from and decisions follow the "
          "plan") {
  const auto who = reactive(R"({"type": "reactive", "rules": []})");
  CHECK(who->respond(asked::vote({"a", "b"})).reply.status
        == protocol::reply_status::declined);
  CHECK(who->respond(asked::decision({"b"})).reply.decision.size() == 1);
}

TEST_CASE("a rule asks what the task says, with or without regard to case") {
  CHECK(applies(R"({"task": "Fix"})", asked::turn("Fix it")));
  CHECK_FALSE(applies(R"({"task": "Fix"})", asked::turn("fix it")));
  CHECK(applies(R"({"task": "(?i)Fix"})", asked::turn("fix it")));
}

TEST_CASE("a rule asks what was said last, by whom, and how long ago") {
  using session::said;
  const auto asked = after({{1, "LGTM"}, {0, "thanks"}, {said::nobody, "go"}});
  CHECK(applies(R"({"message": "thanks"})", asked));
  CHECK_FALSE(applies(R"({"message": "LGTM"})", asked));
  CHECK(applies(R"({"message": {"matches": "LGTM", "latest": 2}})", asked));
  for (const auto* from : {"b", "role-b", "reviewer"})
    CHECK(applies(R"({"message": {"matches": "LGTM", "from": ")"
                    + std::string{from} + R"("}})",
                  asked));
  CHECK_FALSE(
    applies(R"({"message": {"matches": "LGTM", "from": "a"}})", asked));
  CHECK_FALSE(applies(R"({"message": {"latest": 2}})", after({})));
}

TEST_CASE("a rule asks what a resource is at a place of its value") {
  const auto asked = with_file({{"votes", 3}, {"by", "ana"}, {"at", nullptr}},
                               2);
  const auto of = [](const std::string& rest) {
    return R"({"resource": {"resource_type": "file", "resource_id": "x", )"
           + rest + "}}";
  };
  for (const auto* holding :
       {R"("present": true)", R"("pointer": "/votes", "equals": 3)",
        R"("pointer": "/votes", "at_least": 3, "below": 4)",
        R"("pointer": "/by", "matches": "^an")", R"("matches": "votes")",
        R"("pointer": "/at", "equals": null)",
        R"("pointer": "/none", "present": false)",
        R"("pointer": "/none", "differs": 1)", R"("version": 2)",
        R"("version": {"above": 1, "multiple_of": 2})"}) {
    INFO(holding);
    CHECK(applies(of(holding), asked));
  }
  for (const auto* failing :
       {R"("present": false)", R"("pointer": "/votes", "above": 3)",
        R"("pointer": "/votes", "differs": 3)",
        R"("pointer": "/by", "at_most": 3)",
        R"("pointer": "/none", "equals": null)",
        R"("pointer": "/none", "matches": "x")", R"("version": 1)"}) {
    INFO(failing);
    CHECK_FALSE(applies(of(failing), asked));
  }
  CHECK(applies(R"({"resource": {"resource_type": "file", "resource_id": "y",
                                 "present": false, "version": 0}})",
                asked));
}

TEST_CASE("a rule asks for the kind of the request and its numbers") {
  auto asked = asked::turn("it", 4);
  asked.turn = 9;
  asked.round = 6;
  asked.duty = "driver";
  asked.participant = "a";
  asked.role = "role-a";
  CHECK(applies(R"({"kind": "turn", "turn": {"at_least": 9, "at_most": 9},
                    "round": {"multiple_of": 3}, "request": 5,
                    "duty": "driver", "participant": "role-a"})",
                asked));
  for (const auto* failing :
       {R"({"kind": "broadcast"})", R"({"turn": {"above": 9}})",
        R"({"round": {"multiple_of": 4}})", R"({"request": 4})",
        R"({"duty": "navigator"})", R"({"participant": "b"})",
        R"({"turn": {"differs": 9}})", R"({"turn": {"equals": 8}})"}) {
    INFO(failing);
    CHECK_FALSE(applies(failing, asked));
  }
}

TEST_CASE("conditions are put together by all, any and not") {
  const auto asked = asked::turn("it");
  CHECK(applies(R"({"all": [{"task": "i"}, {"task": "t"}],
                    "any": [{"task": "x"}, {"task": "i"}],
                    "not": {"task": "x"}})",
                asked));
  CHECK_FALSE(applies(R"({"all": [{"task": "i"}, {"task": "x"}]})", asked));
  CHECK_FALSE(applies(R"({"any": [{"task": "x"}, {"task": "y"}]})", asked));
  CHECK_FALSE(applies(R"({"not": {"task": "i"}})", asked));
}

TEST_CASE("of several replies one is drawn by its weight") {
  const auto settings
    = one_rule("{}", R"([{"weight": 3, "reply": {"content": "often"}},
              {"reply": {"content": "seldom"}}])");
  const auto who = reactive(settings, 7);
  std::map<std::string, int> count;
  for (std::uint32_t n = 0; n < 10'000; ++n)
    ++count[who->respond(asked::turn("it", n)).reply.content];
  CHECK(count["often"] + count["seldom"] == 10'000);
  // Four standard deviations.
  CHECK(count["often"] > 7'500 - 174);
  CHECK(count["often"] < 7'500 + 174);
}

TEST_CASE("what a rule draws follows from seed, participant and request") {
  const auto settings = one_rule(
    "{}", R"([{"reply": {"content": "x"}}, {"reply": {"content": "y"}}])");
  const auto said = [&](std::uint64_t seed, const std::string& id) {
    const auto who = reactive(settings, seed, id);
    std::string all;
    for (std::uint32_t n = 64; n-- > 0;)
      all += who->respond(asked::turn("it", n)).reply.content;
    return all;
  };
  CHECK(said(1, "a") == said(1, "a"));
  CHECK(said(1, "a") != said(2, "a"));
  CHECK(said(1, "a") != said(1, "b"));
}

TEST_CASE("a write without a version is based on the one that was shown") {
  const auto who = reactive(one_rule(
    "{}",
    R"({"writes": [{"resource_type": "file", "resource_id": "x", "value": 1},
                   {"resource_type": "file", "resource_id": "y", "value": 2},
                   {"resource_type": "file", "resource_id": "x",
                    "base_version": 1, "value": 3}]})"));
  const auto made = who->respond(with_file(0, 4)).reply.writes;
  REQUIRE(made.size() == 3);
  CHECK(made[0].base_version == 4);
  CHECK(made[1].base_version == 0);
  CHECK(made[2].base_version == 1);
}

TEST_CASE("names stand for what the settings and the request say") {
  const auto who = reactive(
    R"({"type": "reactive",
        "values": {"a": {"mine": "x"}, "*": {"mine": "other"}},
        "rules": [{"when": {"resource": {"resource_type": "file",
                                         "resource_id": "${mine}",
                                         "equals": "${participant_id}"}},
                   "then": {"content": "${task} by ${participant_id}, ${request}",
                            "result": {"all": ["${message}", "${mine}"]}}}]})");
  auto asked = with_file("a");
  asked.sequence = 2;
  asked.window.add({.participant = 1, .content = "do ${task}"});
  const auto made = who->respond(asked).reply;
  CHECK(made.content == "it by a, 3");
  CHECK(made.result
        == boost::json::parse(R"({"all": ["do ${task}", "x"]})").as_object());
}

TEST_CASE("a reply that its names make invalid fails by name") {
  const auto who
    = reactive(one_rule("{}", R"({"handoff": {"to": "${handed_by}"}})"));
  const auto made = who->respond(asked::turn("it")).reply;
  CHECK(made.status == protocol::reply_status::failed);
  CHECK(made.error.code == "reply_invalid");
}

TEST_CASE("names stand for no more than can be held") {
  const auto repeated = [](const std::string& name, std::size_t times) {
    std::string made;
    for (std::size_t i = 0; i < times; ++i)
      made += "${" + name + '}';
    return made;
  };
  const auto settings = [&](std::size_t bytes) {
    return R"({"type": "reactive", "values": {"*": {"a": ")"
           + std::string(bytes, 'x')
           + R"("}}, "rules": [{"then": {"content": ")" + repeated("a", 1024)
           + R"("}}]})";
  };
  CHECK(reactive(settings(1024))->respond(asked::turn("it")).reply.content
        == std::string(named_bytes_max, 'x'));
  const auto why = refused(settings(1025));
  CHECK(why.pointer == "/b/rules");
  CHECK(why.rule == "named_bytes_max");
  CHECK(why.code == errc::limit_reached);

  const auto who
    = reactive(R"({"type": "reactive", "rules": [{"then": {"writes":
    [{"resource_type": "f", "resource_id": "x", "value": [")"
               + repeated("task", 600) + R"(", ")" + repeated("task", 424)
               + R"("]}]}}]})");
  const auto write_of = [&](std::size_t bytes) {
    return who->respond(asked::turn(std::string(bytes, 'y'))).reply;
  };
  CHECK(write_of(1024).status == protocol::reply_status::completed);
  const auto failed = write_of(1025);
  CHECK(failed.status == protocol::reply_status::failed);
  CHECK(failed.error.code == "named_bytes_max");
  CHECK(failed.writes.empty());
}

TEST_CASE("rules that cannot be meant are refused with their place") {
  const auto check = [](const std::string& settings, std::string_view pointer,
                        std::string_view rule) {
    const auto why = refused(settings);
    CHECK(why.pointer == pointer);
    CHECK(why.rule == rule);
  };
  check(R"({"type": "reactive"})", "/b", "required");
  check(one_rule(R"({"taks": "x"})"), "/b/rules/0/when/taks",
        "additionalProperties");
  check(one_rule(R"({"task": "("})"), "/b/rules/0/when/task", "pattern");
  check(one_rule(R"({"kind": "question"})"), "/b/rules/0/when/kind", "enum");
  check(one_rule(R"({"turn": {"multiple_of": 0}})"),
        "/b/rules/0/when/turn/multiple_of", "minimum");
  check(one_rule(R"({"resource": {"resource_type": "f", "resource_id": "x",
                                  "above": "1"}})"),
        "/b/rules/0/when/resource/above", "type");
  check(one_rule(R"({"resource": {"resource_type": "f", "resource_id": "x",
                                  "pointer": "a"}})"),
        "/b/rules/0/when/resource/pointer", "pointer_syntax");
  check(one_rule("{}", "[]"), "/b/rules/0/then", "minItems");
  check(one_rule("{}", R"([{"weight": 0, "reply": {}}])"),
        "/b/rules/0/then/0/weight", "exclusiveMinimum");
  check(one_rule("{}", R"({"contents": "x"})"), "/b/rules/0/then/contents",
        "additionalProperties");
  check(one_rule("{}", R"({"content": "${nobody}"})"),
        "/b/rules/0/then/content", "unknown_name");
  check(one_rule(R"({"participant": "${task}"})"),
        "/b/rules/0/when/participant", "unknown_name");
}

TEST_CASE("in a study draws follow from the task, whoever is asked") {
  const auto config = boost::json::parse(
    R"({"type": "reactive", "latency_ms": {"uniform": {"min": 0, "max": 9000}},
        "rules": [{"then": {"content": "a"}}]})");
  const auto answer_of = [&](const std::string& who, std::uint32_t before,
                             bool in_study) {
    const auto made = make_behaviour(
      config,
      {.participant_id = who,
       .seed = 3,
       .by_task = in_study ? std::make_shared<task_places>(session::spec{})
                           : nullptr},
      "");
    REQUIRE(made);
    return (*made)->respond(asked::turn("it", before));
  };
  CHECK(answer_of("ann", 0, true) == answer_of("bob", 7, true));
  CHECK(answer_of("ann", 0, false) != answer_of("bob", 7, false));
}
