#include "rig.hpp"

#include <algorithm>

using namespace convene::tests;

namespace {

json::array events_of(api& of, const std::string& id) {
  return of.get("/v1/sessions/" + id + "/events?limit=1000")
    .at("events")
    .as_array();
}

/// The payloads of a session's events of a type.
json::array payloads(const json::array& events, std::string_view type) {
  json::array all;
  for (const auto& each : events)
    if (each.at("event_type").as_string() == type)
      all.push_back(each.at("payload"));
  return all;
}

std::string said(const json::array& events, std::size_t turn) {
  return std::string{payloads(events, "MAPTurnCompleted")
                       .at(turn)
                       .at("reply")
                       .at("content")
                       .as_string()};
}

std::string fork_of(api& of, const std::string& id, const std::string& body) {
  const auto made = of.post("/v1/sessions/" + id + "/fork", body, 201);
  CHECK(made.at("forked_from").as_string() == id);
  return std::string{made.at("session_id").as_string()};
}

std::string refused(api& of, const std::string& id, const std::string& body,
                    unsigned status) {
  return api::code_of(of.post("/v1/sessions/" + id + "/fork", body, status));
}

} // namespace

TEST_CASE("a fork shares a session's beginning and asks again what is open") {
  const scratch_folder folder;
  api with{folder.path()};
  const auto id = with.create(with_person());
  with.question();
  const auto fork = fork_of(with, id, R"({"turn":2})");
  CHECK(with.last_scope == "runs:create");

  const auto asked = with.question("&session=" + fork);
  CHECK(asked.at("participant").at("participant_id").as_string() == "ana");
  const auto shared = events_of(with, fork);
  const auto spec = payloads(shared, "MAPSessionStarted").at(0).at("spec");
  CHECK(spec.at("origin").at("session_id").as_string() == id);
  CHECK(spec.at("origin").at("log").as_string() == "server");
  CHECK(said(shared, 0) == "A line.");

  with.post("/v1/requests/" + std::string{asked.at("token").as_string()}
              + "/reply",
            R"({"content":"Only in the fork."})");
  CHECK(said(with.events_to_the_end(fork), 1) == "Only in the fork.");
  CHECK(with.get("/v1/sessions/" + id).at("status").as_string() == "active");
  CHECK(payloads(events_of(with, id), "MAPTurnCompleted").size() == 1);
}

TEST_CASE("a fork with an edited answer continues from it, and so after a "
          "restart") {
  const scratch_folder folder;
  std::string fork;
  {
    api with{folder.path()};
    const auto id = with.create(with_person());
    with.question();
    const auto dispatched
      = payloads(events_of(with, id), "MAPTurnDispatched").size();
    REQUIRE(dispatched == 2);
    fork = fork_of(with, id,
                   R"({"turn":1,"answer":{"participant_id":"writer","reply":{
                     "content":"Another beginning.","writes":[{
                     "resource_type":"doc","resource_id":"line",
                     "base_version":0,"op":"put",
                     "value":9007199254740993}]}}})");
    with.question("&session=" + fork);
  }
  api again{folder.path()};
  const auto asked = again.question("&session=" + fork);
  again.post("/v1/requests/" + std::string{asked.at("token").as_string()}
               + "/reply",
             R"({"content":"Good."})");
  const auto all = again.events_to_the_end(fork);
  CHECK(said(all, 0) == "Another beginning.");
  CHECK(said(all, 1) == "Good.");
  CHECK(again.get("/v1/sessions/" + fork).at("status").as_string()
        == "completed");
  const auto shared = again.get("/v1/sessions/" + fork + "/workspace");
  CHECK(shared.at("resources").at(0).at("value").as_int64()
        == 9007199254740993);
}

TEST_CASE("an edited answer may end a fork at once") {
  const scratch_folder folder;
  api with{folder.path()};
  const auto id = with.create(two_agents());
  with.events_to_the_end(id);
  const auto fork = fork_of(
    with, id,
    R"({"turn":2,"answer":{"participant_id":"b","reply":{"content":"End."}}})");
  CHECK(said(with.events_to_the_end(fork), 1) == "End.");
  CHECK(with.get("/v1/sessions/" + fork).at("status").as_string()
        == "completed");
}

TEST_CASE("a fork begins at an event, with other settings") {
  const scratch_folder folder;
  api with{folder.path()};
  const auto id = with.create(two_agents());
  const auto all = with.events_to_the_end(id);
  const auto first = std::ranges::find_if(all, [](const auto& each) {
    return each.at("event_type").as_string() == "MAPTurnCompleted";
  });
  const std::string event{first->at("event_id").as_string()};
  const auto fork = fork_of(
    with, id, R"({"event_id":")" + event + R"(","set":["session.rounds=2"]})");
  CHECK(payloads(with.events_to_the_end(fork), "MAPTurnCompleted").size() == 4);
}

TEST_CASE("a fork is refused with what is wrong, and nothing is started") {
  const scratch_folder folder;
  api with{folder.path()};
  const auto id = with.create(with_person());
  with.question();
  const auto no_answer = [](const std::string& who) {
    return R"({"turn":1,"answer":{"participant_id":")" + who
           + R"(","reply":{"content":"x"}}})";
  };
  CHECK(refused(with, "none", R"({"turn":1})", 404) == "session_unknown");
  CHECK(refused(with, id, R"({"turn":9})", 422) == "fork_point");
  CHECK(refused(with, id, R"({"event_id":"none"})", 422) == "fork_point");
  CHECK(refused(with, id, no_answer("ana"), 422) == "fork_answer");
  CHECK(refused(with, id, no_answer("zoe"), 422) == "fork_answer");
  CHECK(refused(with, id,
                R"({"turn":1,"answer":{"participant_id":"writer","reply":{
                  "status":"perhaps"}}})",
                422)
        == "invalid_document");
  CHECK(refused(with, id,
                R"({"turn":2,"set":["behaviours.ana={\"type\":\"process\",)"
                R"(\"command\":[\"true\"],\"mode\":\"once\"}"]})",
                409)
        == "permission_needed");
  const auto departs
    = with.post("/v1/sessions/" + id + "/fork",
                R"({"turn":2,"set":["collab.mode=broadcast"]})", 409);
  CHECK(api::code_of(departs) == "fork_departs");
  CHECK(departs.at("error").at("details").at("event_id").as_string().size()
        == 36);
  CHECK(refused(with, id,
                R"({"turn":2,"set":["behaviours.ana={\"type\":\"none\"}"]})",
                422)
        == "invalid_document");
  for (const auto* body :
       {"{}", R"({"turn":0})", R"({"turn":1,"event_id":"x"})",
        R"({"turn":1,"at":2})", R"({"turn":1,"set":"a=1"})",
        R"({"turn":1,"set":[1]})", R"({"turn":1,"set":["none"]})",
        R"({"turn":1,"answer":{}})", R"({"turn":1,"answer":[]})"})
    CHECK(refused(with, id, body, 400) == "usage");
  const auto no_policy
    = with.post("/v1/sessions/" + id + "/fork",
                R"({"turn":1,"set":["session.policy=nope"]})", 422);
  CHECK(api::code_of(no_policy) == "scenario_invalid");
  CHECK(json::serialize(no_policy).find("round_robin") != std::string::npos);
  const auto at_length = with.post("/v1/sessions/" + id + "/fork",
                                   R"({"turn":1,"set":["session.rounds=2",")"
                                     + std::string(900'000, 'x') + R"("]})",
                                   400);
  CHECK(at_length.at("error").at("details").at("instance") == "/set/1");
  const auto text = json::serialize(at_length);
  CHECK(text.size() < 1000);
  CHECK(text.find("--set") == std::string::npos);
  for (const auto* reply : {R"({"content":"x","decision":[{"complete":{}}]})",
                            R"({"content":"x","vote":{"conflict_id":"c",)"
                            R"("for":"ana"}})"})
    CHECK(refused(with, id,
                  R"({"turn":1,"answer":{"participant_id":"writer","reply":)"
                    + std::string{reply} + "}}",
                  422)
          == "fork_answer");
  CHECK(with.get("/v1/sessions").at("sessions").as_array().size() == 1);

  auto person = anybody();
  person.session_id = id;
  person.participant_id = "ana";
  CHECK(
    with
      .call("POST", "/v1/sessions/" + id + "/fork", R"({"turn":1})", {}, person)
      .status
    == 403);
  const auto draft = with.post(
    "/v1/sessions", R"({"start":false,"scenario":)" + two_agents() + "}", 201);
  CHECK(refused(with, std::string{draft.at("session_id").as_string()},
                R"({"turn":1})", 409)
        == "session_not_started");
}

TEST_CASE("a fork of a suspended session says so, and continues when it is "
          "resumed") {
  const scratch_folder folder;
  api with{folder.path()};
  const auto id = with.create(with_person());
  with.question();
  with.post("/v1/sessions/" + id + "/suspend", "{}", 202);
  const auto last = [&] {
    for (;;)
      if (with.get("/v1/sessions/" + id).at("status") == "suspended")
        return std::string{
          events_of(with, id).back().at("event_id").as_string()};
  }();
  const auto made = with.post("/v1/sessions/" + id + "/fork",
                              R"({"event_id":")" + last + R"("})", 201);
  CHECK(made.at("status") == "suspended");
  const std::string fork{made.at("session_id").as_string()};
  with.post("/v1/sessions/" + fork + "/resume", "{}", 202);
  with.question("&session=" + fork);
}

TEST_CASE("a fork is one of the sessions that a key may have") {
  const scratch_folder folder;
  api with{folder.path(), {.threads = 2}, {.key_max = 2}};
  auto by = anybody();
  by.key_id = "k";
  const auto body = R"({"scenario":)" + with_person() + "}";
  const auto made
    = api::body_of(with.call("POST", "/v1/sessions", body, {}, by), 201);
  const std::string id{made.at("session_id").as_string()};
  with.question();
  const auto fork = [&] {
    return with.call("POST", "/v1/sessions/" + id + "/fork", R"({"turn":2})",
                     {}, by);
  };
  CHECK(fork().status == 201);
  CHECK(fork().status == 429);
}
