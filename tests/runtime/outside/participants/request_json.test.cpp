#include <boost/json/parse.hpp>
#include <catch2/catch.hpp>
#include <convene/runtime/outside/participants/request_json.hpp>
#include <convene/runtime/outside/participants/request_reading.hpp>

namespace {

using namespace convene;
namespace json = protocol::json;

actors::turn_request a_turn() {
  actors::turn_request asked;
  asked.session_id = "s-1";
  asked.title = "Review";
  asked.purpose = "Find what breaks";
  asked.participant = "coder";
  asked.role = "role-coder";
  asked.task = "review it";
  asked.turn = 3;
  asked.token = "t-1";
  asked.deadline = 1767225600000;
  return asked;
}

} // namespace

TEST_CASE("a program's request says who is asked, for what and until when") {
  const auto made = host::to_json(a_turn());
  CHECK(made.at("wanted") == "turn");
  CHECK(made.at("session").at("session_id") == "s-1");
  CHECK(made.at("session").at("mode") == "round_robin");
  CHECK(made.at("participant").at("participant_id") == "coder");
  CHECK(made.at("turn_number") == 3);
  CHECK(made.at("deadline") == "2026-01-01T00:00:00.000Z");
}

TEST_CASE("a request has no member for what does not apply") {
  const auto made = host::to_json(a_turn());
  for (const auto* name :
       {"duty", "step_id", "handoff", "may_write", "responses", "missed_quorum",
        "decide", "dispute", "round", "attempt"})
    CHECK_FALSE(made.contains(name));
}

TEST_CASE("an orchestrator's request says who and what is there") {
  auto asked = a_turn();
  asked.kind = session::request_kind::decision;
  asked.decide.participants = {{.participant = "coder", .role = "role-coder"}};
  asked.decide.ready = {{.step_id = "a", .description = "do a"}};
  asked.decide.last_participant = "coder";
  asked.decide.last_status = "failed";
  asked.decide.refused = "nobody is called bob";
  const auto made = host::to_json(asked);
  CHECK(made.at("wanted") == "decision");
  const auto& decide = made.at("decide");
  CHECK(decide.at("participants").at(0).at("kind") == "agent");
  CHECK(decide.at("ready").at(0).at("step_id") == "a");
  CHECK(decide.at("last").at("status") == "failed");
  CHECK(decide.at("refused") == "nobody is called bob");
}

TEST_CASE("a voter's request shows both sides, and that one deletes") {
  auto asked = a_turn();
  asked.kind = session::request_kind::vote;
  asked.dispute = {.conflict_id = "c-1",
                   .resource_type = "file",
                   .resource_id = "a.txt",
                   .sides = {{.participant = "ann", .value = "one"},
                             {.participant = "bob", .deleted = true}}};
  const auto made = host::to_json(asked);
  const auto& sides = made.at("dispute").at("sides");
  CHECK(sides.at(0).at("value") == "one");
  CHECK(sides.at(1).at("deleted") == true);
  CHECK_FALSE(sides.at(1).as_object().contains("value"));
}

TEST_CASE("a turn that may write nothing is told so") {
  auto asked = a_turn();
  asked.limited = true;
  CHECK(host::to_json(asked).at("may_write").as_array().empty());
}

TEST_CASE("a request is one line, whatever it quotes") {
  auto asked = a_turn();
  asked.task = "line one\nline two \"quoted\" \u2028";
  const auto text = host::request_json(asked);
  CHECK(text.find('\n') == std::string::npos);
  CHECK(json::parse(text).at("task") == json::value(asked.task));
}

TEST_CASE("a request that was sent is read as it was") {
  const json::object common{
    {"convene", "1"},
    {"session",
     {{"session_id", "s"}, {"mode", "pair"}, {"title", "t"}, {"purpose", "p"}}},
    {"participant",
     {{"participant_id", "ana"}, {"role_id", "r"}, {"role_name", "Reviewer"}}},
    {"token", "t-1"},
    {"turn_number", 3},
    {"round", 2},
    {"attempt", 1},
    {"sequence", 4},
    {"deadline", "2026-01-01T00:00:00.123Z"},
    {"task", "review"},
    {"duty", "driver"},
    {"step_id", "step"},
    {"handoff",
     {{"handoff_id", "h"},
      {"from", "bob"},
      {"instructions", "go on"},
      {"reason", "why"}}},
    {"may_write", {{{"resource_type", "doc"}, {"resource_id", "a"}}}},
    {"dialog",
     {{{"participant", "bob"},
       {"content", "hello"},
       {"at", "2026-01-01T00:00:00.000Z"}},
      {{"participant", ""},
       {"content", "welcome"},
       {"at", "2026-01-01T00:00:01.000Z"}}}},
    {"workspace",
     {{"revision", 9},
      {"resources",
       {{{"resource_type", "doc"},
         {"resource_id", "a"},
         {"version", 2},
         {"value", nullptr}},
        {{"resource_type", "doc"},
         {"resource_id", "b"},
         {"version", 1},
         {"value", {1, "x"}}}}}}},
    {"responses",
     {{{"participant", "bob"}, {"status", "completed"}, {"content", "yes"}}}},
    {"missed_quorum", {{"answered", 1}, {"needed", 2}}}};
  const json::object closed{{"participant", "bob"},
                            {"status", "failed"},
                            {"content", "no"},
                            {"step_id", "x"}};
  const json::object decide{
    {"participants",
     {{{"participant_id", "bob"}, {"role_id", "r"}, {"kind", "external"}}}},
    {"ready",
     {{{"step_id", "x"},
       {"description", "d"},
       {"agent_role", "r"},
       {"attempts", 1},
       {"assigned", "bob"}}}},
    {"steps_total", 3},
    {"steps_open", 2},
    {"steps_failed", 1},
    {"outstanding", 5},
    {"last", closed},
    {"also_closed", {closed}},
    {"refused", "because"}};
  const json::object dispute{{"conflict_id", "c"},
                             {"resource_type", "doc"},
                             {"resource_id", "a"},
                             {"sides",
                              {{{"participant", "bob"}, {"value", "one"}},
                               {{"participant", "ana"}, {"deleted", true}}}}};
  for (const auto* wanted :
       {"turn", "broadcast", "decision", "vote", "escalation"}) {
    auto sent = common;
    sent["wanted"] = wanted;
    if (sent["wanted"] == "decision")
      sent["decide"] = decide;
    if (sent["wanted"] == "vote")
      sent["dispute"] = dispute;
    const auto read = host::read_request(sent);
    REQUIRE(read);
    // Objects are equal whatever the order of their members.
    CHECK(json::value(host::to_json(*read)) == json::value(sent));
  }
}

TEST_CASE("a request with any member of another type is refused, with its "
          "place") {
  auto asked = a_turn();
  asked.kind = session::request_kind::vote;
  asked.dispute = {.conflict_id = "c-1",
                   .resource_type = "file",
                   .resource_id = "a.txt",
                   .sides = {{.participant = "ann", .value = "one"}}};
  const auto good = host::to_json(asked);
  REQUIRE(host::read_request(good));
  for (const auto& each : good) {
    if (each.key() == "convene")
      continue;
    auto bad = good;
    bad[each.key()] = true;
    INFO(each.key());
    const auto read = host::read_request(bad);
    REQUIRE_FALSE(read);
    CHECK(read.error().pointer.starts_with("/" + std::string{each.key()}));
  }
  auto twice = good;
  const json::object one{{"resource_type", "doc"},
                         {"resource_id", "a"},
                         {"version", 1},
                         {"value", 1}};
  twice["workspace"].as_object()["resources"] = {one, one};
  REQUIRE_FALSE(host::read_request(twice));
}

TEST_CASE("a question is the same under another token and deadline") {
  const auto asked = a_turn();
  const auto question = host::question_of(host::to_json(asked));
  auto again = asked;
  again.token = "t-2";
  again.turn = 4;
  again.attempt = 2;
  again.sequence = 1;
  again.deadline += 1000;
  auto made = host::to_json(again);
  made["reply_url"] = "https://convene.example/x";
  CHECK(host::question_of(made) == question);
  auto other = asked;
  other.task = "review that";
  CHECK(host::question_of(host::to_json(other)) != question);
  other = asked;
  other.participant = "tester";
  CHECK(host::question_of(host::to_json(other)) != question);
  auto later = host::to_json(asked);
  later["dialog"] = json::array{"said since"};
  CHECK(host::question_of(later) != question);
}
