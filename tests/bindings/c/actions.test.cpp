#include <bindings/c/own_text.hpp>
#include <boost/json/serialize.hpp>
#include <catch2/catch.hpp>
#include <convene/bindings/c/convene.h>
#include <convene/protocol/json/json_text.hpp>
#include <runtime/log/event_log/files.hpp>

#include <filesystem>
#include <string>
#include <thread>

using namespace convene::protocol;
using convene::tests::own_text;
using convene::tests::read_bytes;

namespace {

constexpr std::int64_t without_limit = -1;
constexpr auto scenario = R"({"convene": "1", "collab": {"title": "work",
  "purpose": "work", "mode": "round_robin", "participants": [
    {"participant_id": "a", "kind": "agent", "role_id": "role-a"}]},
  "task": "work"})";

/// A runtime with one request, of a session that was started or recovered.
struct asked_host {
  convene_runtime* runtime = nullptr;
  convene_session* session = nullptr;
  convene_request* request = nullptr;

  explicit asked_host(const std::string& options, bool is_new = true) {
    own_text error;
    REQUIRE(convene_open(options.c_str(), &runtime, &error.text) == CONVENE_OK);
    if (is_new)
      REQUIRE(convene_start(runtime, scenario, R"(["a"])", &session, nullptr)
              == CONVENE_OK);
    REQUIRE(convene_next_request(runtime, without_limit, &request, nullptr)
            == CONVENE_OK);
  }
  asked_host(const asked_host&) = delete;
  asked_host& operator=(const asked_host&) = delete;
  ~asked_host() {
    convene_request_free(request);
    convene_session_free(session);
    convene_runtime_free(runtime);
  }

  int answer(const char* reply) const {
    return convene_answer(request, reply, nullptr);
  }
};

struct own_action {
  convene_action* handle = nullptr;

  own_action(const asked_host& in, const char* what) {
    own_text error;
    REQUIRE(convene_act(in.request, what, &handle, &error.text) == CONVENE_OK);
  }
  own_action(const own_action&) = delete;
  own_action& operator=(const own_action&) = delete;
  ~own_action() {
    convene_action_free(handle);
  }

  json::value next() const {
    own_text step;
    REQUIRE(convene_action_next(handle, without_limit, &step.text, nullptr)
            == CONVENE_OK);
    return step.read();
  }
  int code_of_next() const {
    own_text step;
    return convene_action_next(handle, without_limit, &step.text, nullptr);
  }
  int end(const char* result) const {
    own_text error;
    return convene_action_end(handle, result, &error.text);
  }
};

std::string refusal_of(const asked_host& in, const char* what) {
  convene_action* made = nullptr;
  own_text error;
  CHECK(convene_act(in.request, what, &made, &error.text)
        == CONVENE_INVALID_DOCUMENT);
  CHECK(made == nullptr);
  return std::string{error.read().at("details").at("pointer").as_string()};
}

constexpr auto search
  = R"({"position": "1", "name": "search", "arguments": {"q": 1}})";

} // namespace

TEST_CASE("a host carries out an action, and gets what the log has of it") {
  const asked_host host{"{}"};
  const own_action action{host, search};
  const auto attempt = action.next().at("attempt");
  CHECK(attempt.at("number") == 1);
  CHECK_FALSE(attempt.at("idempotency_key").as_string().empty());
  CHECK(attempt.at("timeout_ms").to_number<std::int64_t>() > 0);
  own_text none;
  CHECK(convene_action_next(action.handle, 0, &none.text, nullptr)
        == CONVENE_TIMEOUT);
  CHECK(action.end(R"({"status": "perhaps"})") == CONVENE_INVALID_DOCUMENT);
  CHECK(action.end(R"({"status": "completed", "output": [7],
                       "usage": {"prompt_tokens": 3}})")
        == CONVENE_OK);
  for (int i = 0; i < 2; ++i)
    CHECK(action.next().at("result").at("output") == json::array{7});
  CHECK(action.end(R"({"status": "completed"})") == CONVENE_OVER);
  CHECK(host.answer("{}") == CONVENE_OK);
  own_text result;
  REQUIRE(convene_await(host.session, without_limit, &result.text, nullptr)
          == CONVENE_OK);
  CHECK(result.read().at("usage").at("tokens") == 3);
}

TEST_CASE("an action that is freed without an end fails, and so the log says") {
  const asked_host host{"{}"};
  convene_subscription* events = nullptr;
  REQUIRE(convene_subscribe(host.runtime, R"({"types": ["action_ended"]})",
                            &events, nullptr)
          == CONVENE_OK);
  {
    const own_action dropped{host, search};
    dropped.next();
  }
  own_text event;
  CHECK(convene_next_event(events, without_limit, &event.text, nullptr)
        == CONVENE_OK);
  const auto error = event.read().at("payload").at("result").at("error");
  CHECK(error.at("code") == "action_dropped");
  const own_action again{host, search};
  const auto refused = again.next().at("result").at("error");
  CHECK(refused.at("code") == "attempt_out_of_order");
  CHECK_THAT(std::string{refused.at("message").as_string()},
             Catch::Contains("give each action a position of its own"));
  CHECK(host.answer("{}") == CONVENE_OK);
  convene_subscription_free(events);
}

TEST_CASE("actions that are freed before they begin fail once they have") {
  constexpr int freed_at_once = 20;
  const asked_host host{"{}"};
  convene_subscription* events = nullptr;
  REQUIRE(convene_subscribe(host.runtime, R"({"types": ["action_ended"]})",
                            &events, nullptr)
          == CONVENE_OK);
  for (int i = 0; i < freed_at_once; ++i)
    const own_action dropped{
      host, json::serialize(
              json::value{{"position", std::to_string(i)}, {"name", "search"}})
              .c_str()};
  const own_action last{host, R"({"position": "last", "name": "search"})"};
  last.next();
  CHECK(last.end(R"({"status": "completed"})") == CONVENE_OK);
  last.next();
  CHECK(host.answer("{}") == CONVENE_OK);
  for (int i = 0; i < freed_at_once; ++i) {
    own_text event;
    REQUIRE(convene_next_event(events, without_limit, &event.text, nullptr)
            == CONVENE_OK);
    const auto ended = event.read().at("payload").at("result");
    CHECK(ended.at("status") == "failed");
    CHECK(ended.at("error").at("code") == "action_dropped");
  }
  convene_subscription_free(events);
}

TEST_CASE("a position that is in use, or was used, is refused by its code") {
  const asked_host host{"{}"};
  const auto code_of = [&](const char* what) {
    const own_action action{host, what};
    return action.next().at("result").at("error").at("code");
  };
  constexpr auto other = R"({"position": "1", "name": "other"})";
  const own_action first{host, search};
  first.next();
  CHECK(code_of(search) == "action_open");
  CHECK(code_of(other) == "action_open");
  const std::string status = GENERATE("completed", "failed");
  CHECK(first.end((R"({"status": ")" + status + R"("})").c_str())
        == CONVENE_OK);
  CHECK(first.next().at("result").at("status").as_string() == status);
  CHECK(code_of(search) == "attempt_out_of_order");
  CHECK(code_of(other) == "action_changed");
  CHECK(host.answer("{}") == CONVENE_OK);
}

TEST_CASE("an attempt ends as cancelled or timed_out if its host says so") {
  const asked_host host{"{}"};
  const std::string status = GENERATE("cancelled", "timed_out");
  const own_action action{host, search};
  action.next();
  CHECK(action.end(
          (R"({"status": ")" + status
           + R"(", "output": 7, "error": {"code": "stopped", "message": "m"}})")
            .c_str())
        == CONVENE_OK);
  const auto result = action.next().at("result");
  CHECK(result.at("status").as_string() == status);
  CHECK_FALSE(result.as_object().contains("output"));
  CHECK(result.at("error").at("code") == "stopped");
  CHECK(host.answer("{}") == CONVENE_OK);
}

TEST_CASE("an action that is not valid is refused by its place") {
  const asked_host host{"{}"};
  CHECK(refusal_of(host, R"({"position": "", "name": "f"})") == "/position");
  CHECK(refusal_of(host, R"({"position": "1", "name": "f", "more": 1})")
        == "/more");
  CHECK(refusal_of(host, R"({"position": "1", "name": "f", "kind": "person"})")
        == "/kind");
  own_text error;
  CHECK(convene_act(nullptr, search, nullptr, &error.text) == CONVENE_USAGE);
  CHECK(convene_action_next(nullptr, 0, nullptr, nullptr) == CONVENE_USAGE);
  CHECK(convene_action_end(nullptr, nullptr, nullptr) == CONVENE_USAGE);
  convene_action_free(nullptr);
  CHECK(host.answer("{}") == CONVENE_OK);
}

TEST_CASE("actions end with their turn, in any order of frees") {
  asked_host host{"{}"};
  const own_action begun{host, search};
  begun.next();
  SECTION("which was answered") {
    CHECK(host.answer("{}") == CONVENE_OK);
  }
  SECTION("whose session is cancelled") {
    CHECK(convene_cancel(host.session, nullptr, nullptr) == CONVENE_OK);
  }
  SECTION("whose runtime is freed") {
    convene_runtime_free(std::exchange(host.runtime, nullptr));
  }
  CHECK(begun.code_of_next() == CONVENE_OVER);
  CHECK(begun.end(R"({"status": "completed"})") == CONVENE_OVER);
  const own_action late{host, R"({"position": "2", "name": "f"})"};
  CHECK(late.code_of_next() == CONVENE_OVER);
  CHECK(late.end(R"({"status": "completed"})") == CONVENE_OVER);
}

TEST_CASE(
  "after a crash a host gets what it did before, and does it not again") {
  const convene::tests::scratch_folder folder;
  const auto log = folder / "log.jsonl";
  const auto left = folder / "left.jsonl";
  const auto open = [](const std::filesystem::path& path, bool is_new) {
    return json::serialize(is_new
                             ? json::value{{"log", path.string()}}
                             : json::value{{"log", path.string()},
                                           {"participants", json::array{"a"}}});
  };
  {
    const asked_host host{open(log, true)};
    const own_action action{host, search};
    action.next();
    CHECK(action.end(R"({"status": "completed", "output": "found"})")
          == CONVENE_OK);
    action.next();
    const own_action unknown{host, R"({"position": "2", "name": "pay"})"};
    unknown.next();
    std::filesystem::copy_file(log, left);
  }
  const asked_host host{open(left, false), false};
  const own_action action{host, search};
  CHECK(action.next().at("result").at("output") == "found");
  const own_action changed{
    host, R"({"position": "1", "name": "search", "arguments": {"q": 2}})"};
  CHECK(changed.next().at("result").at("error").at("code") == "action_changed");
  const own_action unknown{host, R"({"position": "2", "name": "pay"})"};
  CHECK(unknown.next().at("result").at("error").at("code")
        == "outcome_unknown");
  CHECK(host.answer("{}") == CONVENE_OK);
}
