#include "rig.hpp"

using namespace convene;
using namespace convene::tests;

namespace {

std::string reply_path(const json::object& question) {
  return "/v1/requests/" + std::string{question.at("token").as_string()}
         + "/reply";
}

std::string keyword_of(const json::value& body) {
  CHECK(api::code_of(body) == "reply_invalid");
  const auto& error = body.at("error").at("details").at("errors").at(0);
  return std::string{error.at("instance").as_string()} + ' '
         + std::string{error.at("keyword").as_string()};
}

/// Two people are asked at once.
std::string two_people(const std::string& session = "") {
  return R"({"convene":"1","collab":{"title":"Vote","purpose":"Ask both",
    "mode":"broadcast","participants":[
      {"participant_id":"lead","kind":"agent","role_id":"lead"},
      {"participant_id":"ana","kind":"human","role_id":"reader"},
      {"participant_id":"bo","kind":"human","role_id":"reader"}]},
  "task":"What do you think?","session":{"initiator":"lead")"
         + session + R"(},
  "behaviours":{"lead":{"type":"echo"},"ana":{"type":"human"},
    "bo":{"type":"human"}}})";
}

} // namespace

TEST_CASE("a person in a session is asked, answers, and the session goes on") {
  const scratch_folder folder;
  api server{folder.path()};
  const auto id = server.create(with_person(2));
  const auto first = server.question();
  CHECK(server.last_scope == "approvals:respond");
  CHECK(first.at("wanted").as_string() == "turn");
  CHECK(first.at("session").at("session_id").as_string() == id);
  CHECK(first.at("participant").at("participant_id").as_string() == "ana");
  CHECK(first.at("task").as_string() == "Write a line");
  CHECK(first.at("workspace").at("resources").at(0).at("value").as_string()
        == "A line.");
  const auto accepted = server.post(
    reply_path(first),
    R"({"content":"Shorter, please.","writes":[{"resource_type":"doc",
        "resource_id":"line","base_version":1,"op":"put","value":"Line."}]})");
  CHECK(accepted.at("status").as_string() == "accepted");
  CHECK(accepted.at("session_id").as_string() == id);
  CHECK(accepted.at("participant_id").as_string() == "ana");
  CHECK(!accepted.as_object().contains("duplicate"));
  const auto second = server.question();
  CHECK(second.at("token") != first.at("token"));
  server.post(reply_path(second), R"({"content":"Good.","end":true})");
  server.events_to_the_end(id);
  CHECK(server.get("/v1/sessions/" + id).at("status").as_string()
        == "completed");
  CHECK(server.get("/v1/sessions/" + id + "/workspace")
          .at("resources")
          .at(0)
          .at("value")
          .as_string()
        == "Line.");
  const auto dialog
    = json::serialize(server.get("/v1/sessions/" + id + "/dialog"));
  CHECK(dialog.find("Shorter, please.") != dialog.npos);
}

TEST_CASE("a reply is refused with its place, and the request stays open") {
  const scratch_folder folder;
  api server{folder.path()};
  server.create(with_person());
  const auto question = server.question();
  const auto path = reply_path(question);
  const auto refused = [&](const std::string& body) {
    return keyword_of(server.post(path, body, 422));
  };
  CHECK(refused(R"({"contents":"x"})") == "/contents additionalProperties");
  CHECK(refused(R"({"content":1})") == "/content type");
  CHECK(refused(R"({"writes":[{"resource_type":"doc"}]})")
        == "/writes/0 required");
  CHECK(refused(R"({"vote":{"conflict_id":"x","for":"writer"}})")
        == "/vote wanted");
  CHECK(refused(R"({"decision":[{"complete":{}}]})") == "/decision wanted");
  CHECK(refused(R"({"handoff":{"to":"nobody"}})")
        == "/handoff/to known_participant");
  const auto placed = [&](const std::string& body) {
    const auto told = server.post(path, body, 422);
    const auto& error = told.at("error").at("details").at("errors").at(0);
    return std::pair{error.at("line").to_number<int>(),
                     error.at("column").to_number<int>()};
  };
  CHECK(placed("{\n  \"writes\": [\n    {}]}") == std::pair{3, 5});
  CHECK(placed("{\"content\": \"x\",\n \"handoff\": {\"to\": \"nobody\"}}")
        == std::pair{2, 20});
  for (const std::string body : {"{", "", "[]"})
    CHECK(api::code_of(server.post(path, body, 400)) == "invalid_json");
  CHECK(api::code_of(server.post(
          path, R"({"content":")" + std::string(2U << 20, 'x') + "\"}", 413))
        == "body_bytes_max");
  CHECK(server.question() == question);
  server.post(path, R"({"content":"fine"})");
}

TEST_CASE("the same answer is answered the same, another one is refused") {
  const scratch_folder folder;
  api server{folder.path()};
  const auto id = server.create(with_person());
  const auto path = reply_path(server.question());
  auto first
    = server.post(path, R"({"content":"fine","end":true})").as_object();
  const auto again = server.post(path, R"({"end":true, "content":"fine"})");
  CHECK(again.at("duplicate").as_bool());
  first["duplicate"] = true;
  CHECK(again == first);
  CHECK(api::code_of(server.post(path, R"({"content":"bad"})", 409))
        == "request_already_answered");
  CHECK(server.events_to_the_end(id).size() > 0);
  CHECK(api::code_of(server.post(
          "/v1/requests/0f6b7f5e-5d3b-4c57-9a40-3f2a6a1e7c11/reply", "{}", 404))
        == "request_unknown");
}

TEST_CASE("of many answers at once one counts, and all are told the truth") {
  const scratch_folder folder;
  api server{folder.path()};
  const auto id = server.create(with_person());
  const auto path = reply_path(server.question());
  std::vector<api::target> all;
  for (int i = 0; i < 40; ++i)
    all.push_back(server.begin(
      "POST", path, R"({"content":")" + std::to_string(i % 4) + "\"}"));
  int accepted = 0;
  int duplicate = 0;
  for (const auto& each : all) {
    const auto answer = each->get();
    if (answer.status == 200)
      ++(json::parse(answer.body).as_object().contains("duplicate") ? duplicate
                                                                    : accepted);
    else
      CHECK(answer.status == 409);
  }
  CHECK(accepted == 1);
  CHECK(duplicate == 9);
  std::size_t turns = 0;
  for (const auto& event : server.events_to_the_end(id))
    turns += event.at("event_type").as_string() == "MAPTurnCompleted" ? 1 : 0;
  CHECK(turns == 2);
}

TEST_CASE("a request that timed out is over, and not an answer") {
  const scratch_folder folder;
  api server{folder.path()};
  std::string id;
  json::array open;
  // A request that is over before it is seen is no use: more time.
  for (int limit_ms = 200; open.empty(); limit_ms *= 2) {
    id = server.create(
      with_person(1, R"(,"turn_timeout_ms":)" + std::to_string(limit_ms)));
    while (open.empty()
           && server.get("/v1/sessions/" + id).at("status") == "active")
      open = server.get("/v1/requests?session=" + id).at("requests").as_array();
  }
  const auto path = reply_path(open.front().as_object());
  const auto events = server.events_to_the_end(id);
  const auto body = server.post(path, R"({"content":"late"})", 410);
  CHECK(api::code_of(body) == "request_over");
  CHECK(body.at("error").at("details").at("how").as_string() == "timed_out");
  CHECK(server.get("/v1/requests").at("requests").as_array().empty());
}

TEST_CASE("a request of a session that is cancelled is over") {
  const scratch_folder folder;
  api server{folder.path()};
  const auto id = server.create(with_person());
  const auto path = reply_path(server.question());
  server.post("/v1/sessions/" + id + "/cancel", "", 202);
  server.events_to_the_end(id);
  CHECK(api::code_of(server.post(path, R"({"content":"late"})", 410))
        == "request_over");
  CHECK(server.get("/v1/requests").at("requests").as_array().empty());
}

TEST_CASE("people are told apart, also where all are asked the same") {
  const scratch_folder folder;
  api server{folder.path()};
  const auto id = server.create(two_people());
  const auto ana = server.question("&participant=ana");
  const auto bo = server.question("&participant=bo");
  CHECK(server.get("/v1/requests").at("requests").as_array().size() == 2);
  CHECK(ana.at("token") == bo.at("token"));
  CHECK(api::code_of(server.post(reply_path(ana), R"({"content":"x"})", 409))
        == "participant_needed");
  server.post(reply_path(ana) + "?participant=ana", R"({"content":"yes"})");
  const auto rest = server.get("/v1/requests").at("requests").as_array();
  REQUIRE(rest.size() == 1);
  CHECK(rest[0] == json::value(bo));
  // Or ana's answer, sent again, would be bo's.
  CHECK(api::code_of(server.post(reply_path(bo), R"({"content":"yes"})", 409))
        == "participant_needed");
  server.post(reply_path(bo) + "?participant=bo", R"({"content":"no"})");
  CHECK(
    server.post(reply_path(ana) + "?participant=ana", R"({"content":"yes"})")
      .at("duplicate")
      .as_bool());
  server.events_to_the_end(id);
}

TEST_CASE("a key for one person sees and answers only their requests") {
  const scratch_folder folder;
  api server{folder.path()};
  const auto id = server.create(two_people());
  const auto other = server.create(with_person());
  const auto bo = server.question("&participant=bo");
  server.question("&session=" + other);
  auto by = anybody();
  by.session_id = id;
  by.participant_id = "ana";
  const auto seen = [&](const std::string& query) {
    return api::body_of(server.call("GET", "/v1/requests" + query, {}, {}, by),
                        200)
      .at("requests")
      .as_array();
  };
  REQUIRE(seen("").size() == 1);
  CHECK(seen("").at(0).at("participant").at("participant_id").as_string()
        == "ana");
  CHECK(seen("?participant=bo").empty());
  CHECK(seen("?session=" + other).empty());
  const auto answer = [&](const std::string& path) {
    return server.call("POST", path, R"({"content":"x"})", {}, by).status;
  };
  CHECK(answer(reply_path(server.question("&session=" + other))) == 404);
  CHECK(answer(reply_path(bo) + "?participant=bo") == 404);
  CHECK(answer(reply_path(bo)) == 200); // as ana
  CHECK(server.question() == bo);
}

TEST_CASE("a long poll for requests answers when somebody is asked") {
  const scratch_folder folder;
  api server{folder.path()};
  const auto poll = server.begin("GET",
                                 "/v1/requests?wait_ms=60000&participant=ana");
  const auto other = server.begin("GET",
                                  "/v1/requests?wait_ms=50&participant=zoe");
  CHECK(!poll->is_there());
  server.create(with_person());
  const auto found = api::body_of(poll->get(), 200);
  CHECK(found.at("requests").as_array().size() == 1);
  CHECK(!found.at("more").as_bool());
  CHECK(!other->is_there());
  other->expire();
  CHECK(api::body_of(other->get(), 200).at("requests").as_array().empty());
  for (int i = 0; i < 2; ++i) {
    const auto id = server.create(with_person());
    server.question("&session=" + id);
  }
  const auto page = server.get("/v1/requests?limit=2");
  CHECK(page.at("requests").as_array().size() == 2);
  CHECK(page.at("more").as_bool());
  CHECK(api::code_of(server.get("/v1/requests?limit=0", 400)) == "usage");
}

TEST_CASE("the example with a reviewer runs as the page about it says") {
  const scratch_folder folder;
  api server{folder.path()};
  const auto id = std::string{
    server
      .post("/v1/sessions",
            read_bytes(CONVENE_SOURCE_DIR "/examples/server/review.json"), 201)
      .at("session_id")
      .as_string()};
  server.post(reply_path(server.question("&participant=ana")),
              R"({"content":"Say how long it waits."})");
  server.post(reply_path(server.question("&participant=ana")),
              R"({"content":"APPROVED"})");
  server.events_to_the_end(id);
  const auto state = server.get("/v1/sessions/" + id);
  CHECK(state.at("status").as_string() == "completed");
  CHECK(state.at("result").at("stop_reason").at("condition").as_string()
        == "text");
  CHECK(state.at("result").at("turns_total").to_number<int>() == 4);
}
