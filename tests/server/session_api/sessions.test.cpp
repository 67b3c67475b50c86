#include "rig.hpp"

using namespace convene;
using namespace convene::tests;

namespace {

constexpr const char* given_id = "0f6b7f5e-5d3b-4c57-9a40-3f2a6a1e7c11";

/// The error of a scenario that is refused.
json::value refused(api& server, const std::string& scenario) {
  const auto body = server.post("/v1/sessions",
                                R"({"scenario":)" + scenario + "}", 422);
  CHECK(api::code_of(body) == "scenario_invalid");
  return body.at("error").at("details").at("errors").at(0);
}

} // namespace

TEST_CASE("a posted scenario becomes a session that is where its answer says") {
  const scratch_folder folder;
  api server{folder.path()};
  const auto answer = server.call("POST", "/v1/sessions",
                                  R"({"scenario":)" + two_agents() + "}");
  CHECK(server.last_scope == "runs:create");
  const auto made = api::body_of(answer, 201);
  const std::string id{made.at("session_id").as_string()};
  REQUIRE(answer.headers.size() == 1);
  CHECK(
    answer.headers[0]
    == std::pair<std::string, std::string>{"Location", "/v1/sessions/" + id});
  server.events_to_the_end(id);
  const auto state = server.get("/v1/sessions/" + id);
  CHECK(server.last_scope == "runs:read");
  CHECK(state.at("session_id").as_string() == id);
  CHECK(state.at("status").as_string() == "completed");
  CHECK(state.at("mode").as_string() == "round_robin");
  CHECK(state.at("result").at("turns_total").to_number<int>() == 2);
  CHECK(state.at("result").at("stop_reason").at("condition").as_string()
        == "rounds");
  CHECK(!state.as_object().contains("error"));
  const auto& turn = state.at("turn_state");
  CHECK(turn.at("current_turn_holder").is_null());
  CHECK(turn.at("turn_order") == json::value{"a", "b"});
  CHECK(turn.at("turn_index").to_number<int>() == 1);
}

TEST_CASE("a scenario's own id is its session's, once") {
  const scratch_folder folder;
  api server{folder.path()};
  CHECK(server.create(two_agents(1, given_id)) == given_id);
  const std::string again = R"({"scenario":)" + two_agents(1, given_id) + "}";
  CHECK(api::code_of(server.post("/v1/sessions", again, 409))
        == "session_exists");
  server.events_to_the_end(given_id);
  CHECK(api::code_of(server.post("/v1/sessions", again, 409))
        == "session_exists");
}

TEST_CASE("a body that is not a scenario is refused with what it lacks") {
  const scratch_folder folder;
  api server{folder.path()};
  const auto code = [&](const std::string& body, unsigned status) {
    return api::code_of(server.post("/v1/sessions", body, status));
  };
  CHECK(code("{", 400) == "invalid_json");
  CHECK(code("[]", 400) == "invalid_json");
  CHECK(code("", 400) == "scenario_missing");
  CHECK(code(R"({"scenario":"x.json"})", 400) == "scenario_missing");
  CHECK(code(R"({"scenario":{},"file":"x"})", 400) == "member_unknown");
  CHECK(code(R"({"scenario":{},"start":0})", 400) == "start_invalid");
  CHECK(code(R"({"scenario":{"a":1,"a":2}})", 400) == "invalid_json");
  CHECK(code(std::string(200, '['), 400) == "invalid_json");
  CHECK(code(R"({"scenario":")" + std::string(17U << 20, 'x') + "\"}", 413)
        == "body_bytes_max");
}

TEST_CASE("all that is wrong with a scenario is told with its place") {
  const scratch_folder folder;
  api server{folder.path()};
  const auto body
    = server.post("/v1/sessions",
                  "{\"scenario\":\n {\"convene\":\"1\",\"tusk\":1,\n"
                  " \"collab\":{\"mode\":\"chess\"}}}",
                  422);
  const auto& errors = body.at("error").at("details").at("errors").as_array();
  CHECK(errors.size() > 1);
  bool told = false;
  for (const auto& each : errors) {
    for (const auto* member :
         {"instance", "schema_path", "keyword", "message", "line", "column"})
      CHECK(each.as_object().contains(member));
    told = told
           || (each.at("instance").as_string() == "/collab/mode"
               && each.at("line").to_number<int>() == 3);
  }
  CHECK(told);
}

TEST_CASE("a scenario with a tag that a message of A2A would give it is "
          "refused") {
  const scratch_folder folder;
  api server{folder.path()};
  auto scenario = json::parse(two_agents()).as_object();
  scenario["collab"].as_object()["meta"]
    = {{"tags", {"own", "a2a.skill:review"}}};
  const auto error = refused(server, json::serialize(scenario));
  CHECK(error.at("keyword").as_string() == "tag_reserved");
  CHECK(error.at("instance").as_string() == "/collab/meta/tags/1");
  CHECK(server.get("/v1/sessions").at("sessions").as_array().empty());
}

TEST_CASE("a scenario that names a file is refused, whatever the file is") {
  const scratch_folder folder;
  api server{folder.path()};
  for (const std::string member :
       {"context", "collab", "plan", "confirm", "core", "network"}) {
    auto scenario = json::parse(two_agents()).as_object();
    scenario[member] = "/etc/passwd";
    const auto error = refused(server, json::serialize(scenario));
    CHECK(error.at("instance").as_string() == '/' + member);
    CHECK(error.at("keyword").as_string() == "names_file");
  }
  for (const std::string member :
       {"roles", "extensions", "extension_confirms"}) {
    auto scenario = json::parse(two_agents()).as_object();
    scenario[member] = json::array{"role.json"};
    const auto error = refused(server, json::serialize(scenario));
    CHECK(error.at("instance").as_string() == '/' + member + "/0");
    CHECK(error.at("keyword").as_string() == "names_file");
  }
}

TEST_CASE("a scenario reaches programs, hosts and variables only as allowed") {
  const scratch_folder folder;
  api server{folder.path()};
  const auto with = [](const std::string& behaviour) {
    auto scenario = json::parse(two_agents()).as_object();
    scenario["behaviours"] = json::parse(R"({"*":)" + behaviour + "}");
    return json::serialize(scenario);
  };
  CHECK(refused(server, with(R"({"type":"process","command":["./run"]})"))
          .at("instance")
          .as_string()
        == "/behaviours/*/command/0");
  CHECK(refused(server,
                with(R"({"type":"process","command":["sh","${scenario}/x"]})"))
          .at("keyword")
          .as_string()
        == "names_file");
  for (const auto* behaviour :
       {R"({"type":"process","command":["sh","-c","true"]})",
        R"({"type":"http","url":"http://10.0.0.1/"})",
        R"({"type":"llm","provider":"openai","base_url":"http://10.0.0.1/v1",
            "model":"m","api_key_env":"HOME"})"})
    CHECK(refused(server, with(behaviour)).at("keyword").as_string()
          == "permission_needed");
  CHECK(server.get("/v1/sessions").at("sessions").as_array().empty());
}

TEST_CASE(
  "sessions are listed in the order in which they began, page by page") {
  const scratch_folder folder;
  api server{folder.path()};
  std::vector<std::string> ids;
  for (int i = 0; i < 5; ++i)
    ids.push_back(server.create(i == 2 ? with_person() : two_agents()));
  for (int i = 0; i < 5; ++i)
    if (i != 2)
      server.events_to_the_end(ids[static_cast<std::size_t>(i)]);
  std::vector<std::string> seen;
  std::string after = "0";
  for (int pages = 0; pages < 3; ++pages) {
    const auto page = server.get("/v1/sessions?limit=2&after=" + after);
    for (const auto& each : page.at("sessions").as_array())
      seen.emplace_back(each.at("session_id").as_string());
    CHECK(page.at("next").is_null() == (pages == 2));
    after = json::serialize(page.at("next"));
  }
  CHECK(seen == ids);
  const auto completed = server.get("/v1/sessions?status=completed&limit=4");
  CHECK(completed.at("sessions").as_array().size() == 4);
  CHECK(completed.at("next").is_null());
  const auto active = server.get("/v1/sessions?status=active");
  REQUIRE(active.at("sessions").as_array().size() == 1);
  CHECK(active.at("sessions").at(0).at("session_id").as_string() == ids[2]);
  for (const auto* bad :
       {"?limit=0", "?limit=1001", "?limit=x", "?after=-1", "?status=gone",
        "?order=best", "?failures=some", "?sums=1"})
    CHECK(api::code_of(server.get(std::string{"/v1/sessions"} + bad, 400))
          == "usage");
  CHECK(server.get("/v1/sessions?text=" + std::string(400, 'x'))
          .at("sessions")
          .as_array()
          .empty());
  CHECK(
    api::code_of(server.get("/v1/sessions?text=" + std::string(401, 'x'), 400))
    == "usage");
}

TEST_CASE(
  "a list of sessions has how each ended, whom it waits for, and sums") {
  const scratch_folder folder;
  api server{folder.path()};
  const auto ended = server.create(two_agents());
  server.events_to_the_end(ended);
  const auto asked = server.create(with_person());
  const auto rows = [&server](const std::string& query) {
    return server.get("/v1/sessions?order=newest&sums=yes" + query);
  };
  auto all = rows("");
  // Its question is asked a moment after its start.
  while (all.at("sessions").at(0).at("waits_for").as_array().empty())
    all = rows("");
  REQUIRE(all.at("sessions").as_array().size() == 2);
  const auto& waiting = all.at("sessions").at(0);
  CHECK(waiting.at("session_id").as_string() == asked);
  CHECK(waiting.at("stop_reason").is_null());
  const auto& done = all.at("sessions").at(1);
  CHECK(done.at("turns").to_number<int>() > 0);
  CHECK(done.at("stop_reason").at("condition") == "rounds");
  CHECK(done.at("strip").as_string().size()
        == done.at("turns").to_number<std::size_t>());
  CHECK(all.at("sums").at("statuses").at("active") == 1);
  CHECK(all.at("sums").at("conditions").at("rounds") == 1);
  const auto found = rows("&condition=rounds&failures=no&text=" + ended);
  CHECK(found.at("sums").at("matching") == 1);
  CHECK(found.at("sums").at("statuses").at("active") == 1);
  CHECK(found.at("sessions").as_array().size() == 1);
  CHECK_FALSE(server.get("/v1/sessions").as_object().contains("sums"));
}

TEST_CASE("the story of a session is what happened so far, and grows with it") {
  const scratch_folder folder;
  api server{folder.path()};
  const auto id = server.create(with_person());
  const auto path = "/v1/sessions/" + id;
  server.question();
  const auto open = server.get(path + "/story");
  CHECK(open.at("session_id").as_string() == id);
  CHECK(open.at("events") == server.get(path).at("events"));
  CHECK(open.at("open_requests").to_number<int>() == 1);
  CHECK(!open.at("has_end").as_bool());
  CHECK(open.at("happenings").at("total").to_number<int>() > 0);
  server.post(path + "/cancel", R"({"reason": "no more"})", 202);
  server.events_to_the_end(id);
  const auto ended = server.get(path + "/story");
  CHECK(ended.at("events") == server.get(path).at("events"));
  CHECK(ended.at("has_end").as_bool());
  CHECK(ended.at("status").as_string() == "cancelled");
  CHECK(ended.at("happenings").at("total").to_number<int>()
        > open.at("happenings").at("total").to_number<int>());
}

TEST_CASE("what is no session is not found, by every endpoint") {
  const scratch_folder folder;
  api server{folder.path()};
  for (const std::string id : {given_id, "x"}) {
    for (const std::string part :
         {"", "/events", "/workspace", "/dialog", "/story", "/documents/plan"})
      CHECK(api::code_of(server.get("/v1/sessions/" + id + part, 404))
            == "session_unknown");
    for (const std::string verb : {"suspend", "resume", "cancel", "stop"})
      CHECK(
        api::code_of(server.post("/v1/sessions/" + id + '/' + verb, "", 404))
        == "session_unknown");
  }
}

TEST_CASE("a session is suspended, resumed, and cancelled with a reason") {
  const scratch_folder folder;
  api server{folder.path()};
  const auto id = server.create(with_person());
  const auto path = "/v1/sessions/" + id;
  const auto first = server.question();
  const auto tell = [&](const std::string& verb, const std::string& body,
                        const std::string& status) {
    server.post(path + '/' + verb, body, 202);
    CHECK(server.last_scope == "runs:cancel");
    // The status changes with some event.
    for (auto now = server.get(path); now.at("status").as_string() != status;
         now = server.get(path))
      server.get(path + "/events?wait_ms=60000&after="
                 + json::serialize(now.at("events")));
  };
  tell("suspend", "", "suspended");
  CHECK(server.get(path + "/documents/collab.json").at("status").as_string()
        == "suspended");
  CHECK(server.get(path + "/dialog").at("status").as_string() == "paused");
  tell("resume", "{}", "active");
  CHECK(server.question().at("token") != first.at("token"));
  CHECK(api::code_of(server.post(path + "/cancel", R"({"reason":1})", 400))
        == "usage");
  server.post(path + "/cancel", R"({"reason":"enough"})", 202);
  const auto events = server.events_to_the_end(id);
  const auto state = server.get(path);
  CHECK(state.at("status").as_string() == "cancelled");
  CHECK(json::serialize(state.at("result")).find("enough")
        != std::string::npos);
  for (const std::string verb : {"suspend", "resume", "cancel", "stop"})
    CHECK(api::code_of(server.post(path + '/' + verb, "", 409))
          == "session_ended");
}

TEST_CASE("a session that is stopped ends as completed") {
  const scratch_folder folder;
  api server{folder.path()};
  const auto id = server.create(with_person());
  server.question();
  server.post("/v1/sessions/" + id + "/stop", "", 202);
  server.events_to_the_end(id);
  const auto state = server.get("/v1/sessions/" + id);
  CHECK(state.at("status").as_string() == "completed");
  CHECK(state.at("result").at("stop_reason").at("condition").as_string()
        == "stopped");
}

TEST_CASE("the plan of a running session is shown as far as it has come") {
  const scratch_folder folder;
  api server{folder.path()};
  auto scenario = json::parse(with_person()).as_object();
  scenario["plan"] = json::parse(R"({
    "meta":{"protocol_version":"1.0.0","schema_version":"1.0.0"},
    "plan_id":"de1b1471-320a-48ea-b7a7-88d106762832",
    "context_id":"47eaa099-2cb6-416d-86dc-283cf0480ff9",
    "title":"Two lines","objective":"Both","status":"draft","steps":[
      {"step_id":"68b4aef7-3eaa-4e17-9d8a-4eace693ae2d",
       "description":"The first line","status":"pending"},
      {"step_id":"142c8364-7806-4577-93e7-83e7eb04b39b",
       "description":"The second line","status":"pending"}]})");
  const auto id = server.create(json::serialize(scenario));
  server.question();
  const auto plan = server.get("/v1/sessions/" + id + "/documents/plan");
  CHECK(plan.at("plan_id") == scenario["plan"].at("plan_id"));
  CHECK(plan.at("steps").at(0).at("status").as_string() == "completed");
  CHECK(plan.at("steps").at(1).at("status").as_string() == "in_progress");
}

TEST_CASE("where several turns are open, one is current and all are listed") {
  const scratch_folder folder;
  api server{folder.path()};
  const auto id = server.create(R"({"convene":"1","collab":{
    "title":"Poll","purpose":"Two work at once","mode":"swarm",
    "participants":[
      {"participant_id":"clock","kind":"system","role_id":"clock"},
      {"participant_id":"lead","kind":"agent","role_id":"lead"},
      {"participant_id":"ana","kind":"human","role_id":"member"},
      {"participant_id":"ben","kind":"human","role_id":"member"}]},
    "task":"Yes or no?",
    "tasks":[{"title":"One","role":"ana"},{"title":"Two","role":"ben"}],
    "behaviours":{"ana":{"type":"human"},"ben":{"type":"human"},
                  "*":{"type":"echo"}}})");
  const auto path = "/v1/sessions/" + id;
  json::object state;
  json::array asked;
  const auto wait_for = [&](std::size_t open) {
    do {
      state = server.get(path).at("turn_state").as_object();
      asked
        = server.get("/v1/requests?session=" + id).at("requests").as_array();
    } while (state.at("open_turns").as_array().size() != open
             || asked.size() != open);
  };
  wait_for(2);
  CHECK(state.at("turn_order") == json::value{"lead", "ana", "ben"});
  for (std::size_t open = 2; open > 0; --open) {
    const auto& all = state.at("open_turns").as_array();
    const auto& last = all.back();
    const auto holder = state.at("current_turn_holder").as_string();
    CHECK(holder == last.at("participant_id").as_string());
    CHECK(state.at("turn_number") == last.at("turn_number"));
    CHECK(state.at("turn_started_at") == last.at("turn_started_at"));
    CHECK(
      state.at("turn_order").at(state.at("turn_index").to_number<std::size_t>())
      == holder);
    if (open == 1)
      break;
    // The turn that was dispatched last closes first.
    for (const auto& each : asked)
      if (each.at("participant").at("participant_id").as_string() == holder)
        server.post("/v1/requests/" + std::string{each.at("token").as_string()}
                      + "/reply",
                    R"({"content":"yes"})");
    wait_for(1);
  }
}

TEST_CASE("a running session is shown as it stands, an ended one whole") {
  const scratch_folder folder;
  api server{folder.path()};
  const auto id = server.create(with_person());
  const auto path = "/v1/sessions/" + id;
  server.question();
  const auto turn = server.get(path).at("turn_state");
  CHECK(turn.at("current_turn_holder").as_string() == "ana");
  CHECK(turn.at("turn_index").to_number<int>() == 1);
  CHECK(turn.at("turn_number").to_number<int>() == 2);
  CHECK(turn.at("turn_started_at").is_string());
  const auto workspace = server.get(path + "/workspace");
  REQUIRE(workspace.at("resources").as_array().size() == 1);
  CHECK(workspace.at("resources").at(0).at("value").as_string() == "A line.");
  const auto dialog = server.get(path + "/dialog");
  CHECK(dialog.at("status").as_string() == "active");
  CHECK(dialog.at("messages").as_array().size() == 2);
  CHECK(server.get(path + "/documents/scenario").at("task").as_string()
        == "Write a line");
  const auto collab = server.get(path + "/documents/collab");
  CHECK(collab.at("collab_id").as_string() == id);
  CHECK(collab.at("status").as_string() == "active");
  CHECK(server.get(path + "/documents/context").at("context_id")
        == collab.at("context_id"));
  for (const std::string name : {"result", "trace", "plan"})
    CHECK(api::code_of(server.get(path + "/documents/" + name, 409))
          == "session_not_ended");
  const auto none = server.get(path + "/documents/nosuch", 404);
  CHECK(api::code_of(none) == "document_unknown");
  CHECK(none.at("error").at("details").at("names")
        == json::array{"scenario", "workspace", "dialog", "collab", "context"});

  server.post(path + "/stop", "", 202);
  server.events_to_the_end(id);
  for (const std::string name : {"collab", "dialog.json", "context", "trace",
                                 "workspace", "result", "scenario"})
    CHECK(server.get(path + "/documents/" + name).is_object());
  CHECK(server.get(path + "/documents/collab").at("status").as_string()
        == "completed");
  CHECK(server.get(path + "/workspace") == workspace);
  CHECK(server.get(path + "/documents/trace").as_object().contains("trace_id"));
  const auto unknown = server.get(path + "/documents/plan", 404);
  CHECK(api::code_of(unknown) == "document_unknown");
  CHECK(!unknown.at("error").at("details").at("names").as_array().empty());
}

TEST_CASE("a key for one person sees no session but its own") {
  const scratch_folder folder;
  api server{folder.path()};
  const auto id = server.create(with_person());
  auto by = anybody();
  by.session_id = given_id;
  by.participant_id = "ana";
  CHECK(server.call("GET", "/v1/sessions/" + id, {}, {}, by).status == 404);
  CHECK(server.call("GET", "/v1/sessions", {}, {}, by).status == 403);
  CHECK(server
          .call("POST", "/v1/sessions", R"({"scenario":)" + two_agents() + "}",
                {}, by)
          .status
        == 403);
  by.session_id = id;
  CHECK(server.call("GET", "/v1/sessions/" + id, {}, {}, by).status == 200);
}
