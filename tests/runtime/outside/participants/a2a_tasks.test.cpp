#include "runtime/outside/participants/fake_agent.hpp"

#include <boost/json/parse.hpp>
#include <catch2/catch.hpp>

#include <cstdint>
#include <future>

using namespace convene;
using namespace convene::tests;

namespace {

/// A session that has what an earlier one did: the message was sent, and its
/// task was waited for.
class taken_up final : public actors::turn_link {
public:
  std::promise<protocol::reply> answered;
  std::vector<std::string> begun;

  void write(protocol::reply) override {}
  void answer(protocol::reply what) override {
    answered.set_value(std::move(what));
  }
  bool begin(protocol::action what, std::uint32_t number) override {
    begun.push_back(what.position + ' ' + std::to_string(number));
    return true;
  }
  void end(std::string, std::uint32_t, protocol::action_result) override {}
  bool call_later(std::string, std::uint64_t, std::int64_t) override {
    return false;
  }
};

session::request after_a_wait(const fake_agent& agent) {
  const auto host = agent.url("");
  session::recorded_action sent{.what
                                = {.position = "1.0",
                                   .kind = protocol::action_kind::http,
                                   .name = host,
                                   .arguments = {{"method", "POST"},
                                                 {"operation", "message:send"},
                                                 {"task", "go"}},
                                   .repeatable = true},
                                .attempt = 1,
                                .ended = true};
  sent.result.output
    = boost::json::parse(R"({"task": )" + task_text("WORKING") + '}');
  session::recorded_action waited{
    .what = {.position = "1.1",
             .kind = protocol::action_kind::http,
             .name = host,
             .arguments = {{"operation", "tasks:get"}, {"task_id", "t/1"}},
             .repeatable = true},
    .attempt = 1};
  session::request asked{.token = {1, 2}};
  asked.actions = session::recorded_actions{.first_token = {3, 4},
                                            .all = {sent, waited}};
  return asked;
}

} // namespace

TEST_CASE("a task is looked at until it is done, and its artifacts are said") {
  fake_agent agent{[](const heard_request&, std::size_t number) {
    if (number == 0)
      return task_answer("SUBMITTED");
    if (number < 3)
      return answer_with(task_text("WORKING"));
    return answer_with(R"({"id": "t/1", "artifacts": [
      {"artifactId": "a", "parts": [{"text": "one"}]},
      {"artifactId": "b", "parts": [{"text": "two"}]}],
      "status": {"state": "TASK_STATE_COMPLETED")"
                       + status_message("not said") + "}}");
  }};
  const auto got = ask_agent({.card = agent.url("/card")});
  CHECK(got.content == "one\ntwo");
  CHECK(agent.lines()
        == std::vector<std::string>{"GET /card", "POST /a2a/message:send",
                                    "GET /a2a/tasks/t%2F1?historyLength=0",
                                    "GET /a2a/tasks/t%2F1?historyLength=0",
                                    "GET /a2a/tasks/t%2F1?historyLength=0"});
}

TEST_CASE("how a task ends badly is the turn's error, with the agent's words") {
  const auto [state, code] = GENERATE(table<std::string, std::string>(
    {{"FAILED", "agent_failed"},
     {"REJECTED", "agent_rejected"},
     {"CANCELED", "agent_cancelled"},
     {"INPUT_REQUIRED", "agent_input_required"},
     {"AUTH_REQUIRED", "agent_auth_required"}}));
  const bool at_once = GENERATE(true, false);
  fake_agent agent{
    [&, state = state](const heard_request& request, std::size_t number) {
      if (request.line.ends_with(":cancel"))
        return answer_with(task_text("CANCELED"));
      if (number == 0 && !at_once)
        return task_answer("WORKING");
      return at_once ? task_answer(state, status_message("why not"))
                     : answer_with(task_text(state, status_message("why not")));
    }};
  const auto got = ask_agent({.card = agent.url("/card")});
  CHECK(got.status == protocol::reply_status::failed);
  CHECK(got.error.code == code);
  CHECK(got.error.message.ends_with(": why not"));
  const bool waits = state.ends_with("_REQUIRED");
  CHECK((agent.lines().back() == "POST /a2a/tasks/t%2F1:cancel") == waits);
}

TEST_CASE("how a task ended is known although its message cannot be read") {
  fake_agent agent{[](const auto&, auto) {
    return task_answer("FAILED", R"(, "message": {"parts": [{"text": "not me",
      "data": {}}, {}, {"text": "the disk"}]})");
  }};
  const auto got = ask_agent({.card = agent.url("/card")});
  CHECK(got.error.code == "agent_failed");
  CHECK(got.error.message == "the agent's task failed: the disk");
}

TEST_CASE("a turn that is over cancels the task") {
  fake_agent agent{[](const heard_request& request, std::size_t number) {
    return number == 0 ? task_answer("WORKING")
           : request.line.ends_with(":cancel")
             ? answer_with(task_text("CANCELED"))
             : answer_with(task_text("WORKING"));
  }};
  caller by{{.card = agent.url("/card")}};
  auto asked = test::a_turn_of("go");
  bool answered = false;
  asked.live = std::make_shared<actors::live_turn>(
    [&](const protocol::reply&) { answered = true; });
  by.who.begin(asked);
  REQUIRE(agent.hears("GET /a2a/tasks/t%2F1?historyLength=0"));
  asked.live->close();
  CHECK(agent.hears("POST /a2a/tasks/t%2F1:cancel"));
  CHECK_FALSE(answered);
}

TEST_CASE("a turn that is over before its task is known still cancels it") {
  fake_agent agent{[](const heard_request& request, std::size_t) {
    if (request.line.ends_with(":cancel"))
      return answer_with(task_text("CANCELED"));
    auto made = task_answer("WORKING");
    made.delay = std::chrono::milliseconds{200};
    return made;
  }};
  caller by{{.card = agent.url("/card")}};
  auto asked = test::a_turn_of("go");
  asked.live = std::make_shared<actors::live_turn>([](const auto&) {});
  by.who.begin(asked);
  REQUIRE(agent.hears("POST /a2a/message:send"));
  asked.live->close();
  CHECK(agent.hears("POST /a2a/tasks/t%2F1:cancel"));
}

TEST_CASE("a look at a task that fails is repeated, and not for ever") {
  const std::size_t failing = GENERATE(2U, 3U);
  fake_agent agent{[&](const heard_request& request, std::size_t number) {
    if (request.line.ends_with(":cancel"))
      return answer_with(task_text("CANCELED"));
    return number == 0 ? task_answer("WORKING")
           : number <= failing
             ? answer_with("", "text/plain", "503 Busy")
             : answer_with(task_text("COMPLETED", status_message("ok")));
  }};
  const auto got = ask_agent({.card = agent.url("/card"), .repeatable = false});
  if (failing == 2) {
    CHECK(got.content == "ok");
  } else {
    CHECK(got.error.code == "server_error");
    CHECK(agent.lines().back() == "POST /a2a/tasks/t%2F1:cancel");
  }
}

TEST_CASE("a turn that is taken up goes on with its task") {
  const bool cancelled = GENERATE(false, true);
  const bool repeatable = GENERATE(true, false);
  fake_agent agent{[&](const heard_request& request, std::size_t) {
    if (request.line.starts_with("POST"))
      return message_answer(R"({"text": "anew"})");
    return answer_with(
      task_text(cancelled ? "CANCELED" : "COMPLETED", status_message("done")));
  }};
  const auto link = std::make_shared<taken_up>();
  caller by{{.card = agent.url("/card"), .repeatable = repeatable}};
  auto asked = test::a_turn_of("go");
  asked.live = std::make_shared<actors::live_turn>(link, 0, after_a_wait(agent),
                                                   60'000);
  by.who.begin(asked);
  const auto got = link->answered.get_future().get();
  if (!cancelled) {
    CHECK(got.content == "done");
    CHECK(link->begun == std::vector<std::string>{"1.1 2"});
  } else if (repeatable) {
    CHECK(got.content == "anew");
    CHECK(link->begun == std::vector<std::string>{"1.1 2", "2.0 1"});
  } else {
    CHECK(got.error.code == "agent_let_go");
  }
}
