#include "mcp_rig.hpp"

using namespace convene;
using namespace convene::tests;

TEST_CASE("run_session waits for the end and returns the result") {
  mcp_rig rig;
  const auto made = rig.run(two_agents());
  CHECK(text_in(made, "status") == "completed");
  CHECK(made.at("result").at("turns_total").to_number<int>() == 2);
  CHECK(made.at("questions").as_array().empty());
}

TEST_CASE(
  "run_session returns as soon as a person is asked, with the question") {
  mcp_rig rig;
  const auto made = rig.run(with_person());
  CHECK(text_in(made, "status") == "active");
  REQUIRE(made.at("questions").as_array().size() == 1);
  const auto& question = made.at("questions").at(0).as_object();
  CHECK(question.at("participant").at("participant_id") == "ana");
  CHECK(question.at("dialog").at(0).at("content") == "Write a line");
  CHECK(!question.contains("workspace"));

  const auto id = text_in(made, "session_id");
  const auto told
    = rig.call("answer_question",
               {{"token", question.at("token")}, {"content", "APPROVED"}});
  CHECK(text_in(told, "status") == "accepted");
  CHECK(text_in(told, "session_id") == id);
  const auto state = rig.call("session_status",
                              {{"session_id", id}, {"wait_ms", 120'000}});
  CHECK(text_in(state, "status") == "completed");
  // Another answer comes too late, and the error says so.
  CHECK(text_in(rig.refused("answer_question", {{"token", question.at("token")},
                                                {"content", "no"}}),
                "code")
        == "request_already_answered");
}

TEST_CASE("a message reaches the session, and is in its dialog") {
  mcp_rig rig;
  const auto id = text_in(rig.run(with_person()), "session_id");
  CHECK(text_in(rig.call("send_message", {{"session_id", id},
                                          {"content", "Friday is fine"},
                                          {"participant_id", "ana"}}),
                "status")
        == "accepted");
  const auto read
    = rig.result("resources/read",
                 {{"uri", "convene://sessions/" + id + "/documents/dialog"}});
  CHECK(read.at("contents").at(0).at("text").as_string().find("Friday is fine")
        != json::string::npos);
  CHECK(text_in(rig.refused("send_message", {{"session_id", id},
                                             {"content", "x"},
                                             {"participant_id", "bob"}}),
                "code")
        == "participant_unknown");
}

TEST_CASE("a session is cancelled, and then has ended") {
  mcp_rig rig;
  const auto id = text_in(rig.run(with_person()), "session_id");
  CHECK(text_in(rig.call("cancel_session",
                         {{"session_id", id}, {"reason", "late"}}),
                "accepted")
        == "cancel");
  // Its question is open until then.
  std::string status = "active";
  while (status == "active")
    status = text_in(rig.call("session_status",
                              {{"session_id", id}, {"wait_ms", 120'000}}),
                     "status");
  CHECK(status == "cancelled");
}

TEST_CASE("events come page by page, until the session has no more") {
  mcp_rig rig;
  const auto id = text_in(rig.run(two_agents(3)), "session_id");
  json::array all;
  std::uint64_t after = 0;
  for (bool ended = false; !ended;) {
    const auto page = rig.call(
      "read_events", {{"session_id", id}, {"after", after}, {"limit", 4}});
    CHECK(page.at("events").as_array().size() <= 4);
    for (const auto& each : page.at("events").as_array())
      all.push_back(each);
    after = page.at("next").to_number<std::uint64_t>();
    ended = page.at("ended").as_bool();
  }
  CHECK(after == all.size());
  CHECK(all.front().at("event_type") == "MAPSessionStarted");
  CHECK(all.back().at("event_type") == "MAPSessionCompleted");
  const auto beyond = rig.refused("read_events",
                                  {{"session_id", id}, {"after", after + 1}});
  CHECK(text_in(beyond, "message").find(std::to_string(after))
        != std::string::npos);
}

TEST_CASE("a whole number may be written with a fraction of zero") {
  mcp_rig rig;
  const auto id = text_in(rig.run(two_agents(3)), "session_id");
  const auto page = rig.call(
    "read_events", {{"session_id", id}, {"after", 2.0}, {"limit", 3.0}});
  CHECK(page.at("next").to_number<std::uint64_t>() == 5);
}

TEST_CASE("arguments that a tool does not take are named, and nothing runs") {
  mcp_rig rig;
  const auto wrong = rig.refused("run_session", {{"scenaro", json::object{}}});
  CHECK(text_in(wrong, "code") == "arguments_invalid");
  CHECK(json::serialize(wrong.at("details")).find("scenaro")
        != std::string::npos);
  CHECK(text_in(rig.refused("run_session", {{"wait_ms", -1}}), "code")
        == "arguments_invalid");
  CHECK(text_in(rig.refused("run_session", {}), "code") == "scenario_missing");
  CHECK(text_in(rig.refused("run_session",
                            {{"scenario", json::object{}}, {"path", "a.json"}}),
                "code")
        == "scenario_missing");
  CHECK(text_in(rig.refused("answer_question", {{"token", "t"}}), "code")
        == "reply_missing");
  CHECK(rig.result("resources/list").at("resources").as_array().empty());
  CHECK(rig.fault("tools/call", {{"name", "rm"}}).code == -32602);
  CHECK(rig.fault("tools/call", {{"name", "explain"}, {"arguments", 1}}).code
        == -32602);
}

TEST_CASE("a scenario that is not valid is refused with what is wrong where") {
  mcp_rig rig;
  const auto wrong = rig.refused(
    "run_session",
    {{"scenario", {{"convene", "1"}, {"collab", {{"title", 3}}}}}});
  CHECK(text_in(wrong, "code") == "scenario_invalid");
  CHECK(!wrong.at("details").at("errors").as_array().empty());
  // A stranger's scenario runs no program that was not allowed.
  auto scenario = json::parse(two_agents()).as_object();
  scenario["behaviours"]
    = {{"*", {{"type", "process"}, {"command", json::array{"/bin/true"}}}}};
  const auto needs = rig.refused("run_session", {{"scenario", scenario}});
  CHECK(text_in(needs, "message").find("--allow run=") != std::string::npos);
}

TEST_CASE("an unknown session is an error of every tool that takes one") {
  mcp_rig rig;
  const json::object no{{"session_id", "00000000-0000-4000-8000-000000000000"}};
  for (const auto* tool : {"session_status", "cancel_session", "read_events"})
    CHECK(text_in(rig.refused(tool, no), "code") == "session_unknown");
  auto message = no;
  message["content"] = "hello";
  CHECK(text_in(rig.refused("send_message", message), "code")
        == "session_unknown");
}

TEST_CASE("so many sessions run at a time, and the next one says how many") {
  mcp_rig rig{{}, {.key_max = 1}};
  const auto id = text_in(rig.run(with_person()), "session_id");
  CHECK(text_in(rig.refused("run_session",
                            {{"scenario", json::parse(two_agents())}}),
                "code")
        == "key_sessions_max");
  CHECK(text_in(rig.call("session_status", {{"session_id", id}}), "status")
        == "active");
}

TEST_CASE("an answer that is too long is an error that says how to get less") {
  mcp_rig rig{{.answer_bytes_max = 3'000}};
  const auto id = text_in(
    rig.ask("tools/call",
            {{"name", "run_session"},
             {"arguments",
              {{"scenario", json::parse(two_agents(5))}, {"wait_ms", 120'000}}}})
        ? [&rig] {
            const auto all = rig.result("resources/list").at("resources");
            const std::string uri{all.at(0).at("uri").as_string()};
            return json::object{{"id", uri.substr(19, 36)}};
          }()
        : json::object{},
    "id");
  const auto page = rig.call("read_events", {{"session_id", id}, {"after", 1}});
  CHECK(json::serialize(page).size() < 3'000);
  CHECK(!page.at("events").as_array().empty());
  CHECK(!page.at("ended").as_bool());
  const auto first
    = rig.fault("resources/read",
                {{"uri", "convene://sessions/" + id + "/documents/trace"}});
  CHECK(first.message.find("3000") != std::string::npos);
}

TEST_CASE("a key may do with tools what its scopes allow, and no more") {
  mcp_rig rig;
  server::caller reader{.key_id = "k", .scopes = {"runs:read"}};
  const auto no = rig.refused("run_session",
                              {{"scenario", json::parse(two_agents())}},
                              reader);
  CHECK(text_in(no, "code") == "forbidden");
  CHECK(text_in(no, "message").find("runs:create") != std::string::npos);
  const auto id = text_in(rig.run(two_agents()), "session_id");
  const auto may
    = rig.ask("tools/call",
              {{"name", "session_status"}, {"arguments", {{"session_id", id}}}},
              reader);
  REQUIRE(may);
  CHECK(!may->at("isError").as_bool());
}
