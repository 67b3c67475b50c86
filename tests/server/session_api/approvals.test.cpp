#include "rig.hpp"

#include <algorithm>

using namespace convene;
using namespace convene::tests;

// Calls that a person approves, over HTTP.

namespace {

/// A program that a person has to let start, and, `has_person`, a person who
/// waits for their turn.
std::string with_approval(bool has_person) {
  return R"({"convene":"1","collab":{"title":"Deploy","purpose":"Deploy it",
    "mode":"round_robin","participants":[
      {"participant_id":"bob","kind":"agent","role_id":"b"})"
         + std::string{has_person ? R"(,{"participant_id":"ana","kind":"human",
                              "role_id":"a"})"
                                  : ""}
         + R"(]},"task":"deploy it","session":{"rounds":1},
    "behaviours":{"bob":{"type":"process","approve":true,
      "command":["/bin/echo","{\"content\":\"deployed\"}"]})"
         + (has_person ? R"(,"ana":{"type":"human"})" : "") + "}}";
}

runtime_options that_may_run() {
  runtime_options how{.threads = 2};
  REQUIRE(how.allow.allow("run=/bin/echo"));
  return how;
}

std::string path_of(const json::object& question) {
  return "/v1/requests/" + std::string{question.at("token").as_string()}
         + "/reply";
}

/// The reply of the first turn.
std::string turn_in(const json::array& events) {
  for (const auto& each : events)
    if (each.at("event_type").as_string() == "MAPTurnCompleted")
      return json::serialize(each.at("payload").at("reply"));
  return {};
}

} // namespace

TEST_CASE("a call is approved over HTTP, with all that it is") {
  const scratch_folder folder;
  api server{folder.path(), that_may_run()};
  const auto id = server.create(with_approval(false));
  const auto question = server.question();
  CHECK(question.at("participant").at("participant_id").as_string()
        == "approver");
  CHECK(question.at("duty").as_string() == "approver");
  const auto& call = question.at("approval");
  CHECK(call.at("participant").as_string() == "bob");
  CHECK(call.at("kind").as_string() == "process");
  CHECK(call.at("name").as_string() == "/bin/echo");
  CHECK(call.at("arguments").at("command").as_array().size() == 2);
  CHECK(call.at("sha256").as_string().size() == 64);
  // What is no clear answer leaves it open.
  for (const auto* body : {"{}", R"({"content":"yes"})"}) {
    const auto refused = server.post(path_of(question), body, 422);
    CHECK(json::serialize(refused).find("APPROVED") != std::string::npos);
  }
  const auto accepted = server.post(path_of(question),
                                    R"({"content":"APPROVED: fine"})");
  CHECK(accepted.at("status").as_string() == "accepted");
  CHECK(accepted.at("participant_id").as_string() == "approver");
  CHECK(server.post(path_of(question), R"({"content":"APPROVED: fine"})")
          .at("duplicate")
          .as_bool());
  CHECK(api::code_of(
          server.post(path_of(question), R"({"content":"REJECTED"})", 409))
        == "request_already_answered");
  CHECK(turn_in(server.events_to_the_end(id)).find("deployed")
        != std::string::npos);
}

TEST_CASE("a call that is refused over HTTP is not carried out") {
  const scratch_folder folder;
  api server{folder.path(), that_may_run()};
  const auto id = server.create(with_approval(false));
  server.post(path_of(server.question()), R"({"content":"REJECTED: not now"})");
  const auto events = server.events_to_the_end(id);
  CHECK(json::serialize(events).find("not_approved") != std::string::npos);
  CHECK(json::serialize(events).find("not now") != std::string::npos);
  CHECK(std::ranges::none_of(events, [](const auto& each) {
    const auto* payload = each.as_object().if_contains("payload");
    return each.at("event_type").as_string() == "action_started"
           && payload->at("kind").as_string() == "process";
  }));
}

TEST_CASE("the session's person approves, and nobody with another's key") {
  const scratch_folder folder;
  api server{folder.path(), that_may_run()};
  const auto id = server.create(with_approval(true));
  const auto question = server.question();
  CHECK(question.at("participant").at("participant_id").as_string() == "ana");
  auto bob = anybody();
  bob.session_id = id;
  bob.participant_id = "bob";
  CHECK(server.call("GET", "/v1/requests", {}, {}, bob).body.find("\"token\"")
        == std::string::npos);
  CHECK(
    server.call("POST", path_of(question), R"({"content":"APPROVED"})", {}, bob)
      .status
    == 404);
  server.post(path_of(question), R"({"content":"APPROVED"})");
  server.post(path_of(server.question()), R"({"content":"good"})");
  server.events_to_the_end(id);
}

TEST_CASE("a question about a call stays open over a restart of the server") {
  const scratch_folder folder;
  std::optional<api> server{std::in_place, folder.path(), that_may_run()};
  const auto id = server->create(with_approval(false));
  const auto question = server->question();
  server.emplace(folder.path(), that_may_run());
  const auto again = server->question();
  CHECK(again.at("token") == question.at("token"));
  CHECK(again.at("approval") == question.at("approval"));
  server->post(path_of(question), R"({"content":"APPROVED"})");
  CHECK(turn_in(server->events_to_the_end(id)).find("deployed")
        != std::string::npos);
  server.emplace(folder.path(), that_may_run());
  CHECK(server->post(path_of(question), R"({"content":"APPROVED"})")
          .at("duplicate")
          .as_bool());
}
