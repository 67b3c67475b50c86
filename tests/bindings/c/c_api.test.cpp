#include <bindings/c/own_text.hpp>
#include <boost/json/serialize.hpp>
#include <catch2/catch.hpp>
#include <convene/bindings/c/convene.h>
#include <convene/protocol/json/json_text.hpp>
#include <poll.h>
#include <runtime/log/event_log/files.hpp>

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

using namespace convene::protocol;
using convene::tests::own_text;
using convene::tests::read_bytes;

namespace {

constexpr std::int64_t for_ever = -1;

template <auto Free>
struct freed_by {
  void operator()(auto* handle) const {
    Free(handle);
  }
};

using runtime_handle
  = std::unique_ptr<convene_runtime, freed_by<convene_runtime_free>>;
using own_session
  = std::unique_ptr<convene_session, freed_by<convene_session_free>>;
using own_request
  = std::unique_ptr<convene_request, freed_by<convene_request_free>>;
using own_subscription
  = std::unique_ptr<convene_subscription, freed_by<convene_subscription_free>>;

runtime_handle open_with(const char* options) {
  convene_runtime* made = nullptr;
  own_text error;
  INFO((error.text == nullptr ? "" : error.text));
  REQUIRE(convene_open(options, &made, &error.text) == CONVENE_OK);
  return runtime_handle{made};
}

/// Two participants, "a" and "b", in this mode.
std::string scenario_in(const std::string& mode, const std::string& more = {}) {
  return R"({"convene": "1", "collab": {"title": "work", "purpose": "work",
    "mode": ")"
         + mode + R"(", "participants": [
    {"participant_id": "a", "kind": "agent", "role_id": "role-a"},
    {"participant_id": "b", "kind": "agent", "role_id": "role-b"}]},
    "task": "work")"
         + more + "}";
}

own_session start(const runtime_handle& in, const std::string& scenario,
                  const char* participants = R"(["*"])") {
  convene_session* made = nullptr;
  own_text error;
  const auto code = convene_start(in.get(), scenario.c_str(), participants,
                                  &made, &error.text);
  INFO((error.text == nullptr ? "" : error.text));
  REQUIRE(code == CONVENE_OK);
  return own_session{made};
}

std::string refusal_of(const runtime_handle& in, const std::string& scenario,
                       const char* participants) {
  convene_session* made = nullptr;
  own_text error;
  CHECK(
    convene_start(in.get(), scenario.c_str(), participants, &made, &error.text)
    >= CONVENE_UNREADABLE);
  CHECK(made == nullptr);
  return error.rule();
}

own_request next_of(const runtime_handle& in,
                    std::int64_t timeout_ms = for_ever) {
  convene_request* made = nullptr;
  own_text error;
  const auto code = convene_next_request(in.get(), timeout_ms, &made,
                                         &error.text);
  CHECK((code == CONVENE_OK) == (made != nullptr));
  return own_request{made};
}

json::value request_of(const own_request& asked) {
  return parse_json(convene_request_json(asked.get())).value();
}

int answer(const own_request& asked, const char* reply) {
  own_text error;
  return convene_answer(asked.get(), reply, &error.text);
}

json::value result_of(const own_session& session) {
  own_text result;
  own_text error;
  const auto code = convene_await(session.get(), for_ever, &result.text,
                                  &error.text);
  INFO((error.text == nullptr ? "" : error.text));
  REQUIRE(code == CONVENE_OK);
  return result.read();
}

std::string status_of(const own_session& session) {
  own_text status;
  REQUIRE(convene_status(session.get(), &status.text, nullptr) == CONVENE_OK);
  return std::string{status.read().at("status").as_string()};
}

bool is_readable(const runtime_handle& in) {
  pollfd watched{convene_request_fd(in.get()), POLLIN, 0};
  return ::poll(&watched, 1, 0) == 1;
}

/// The participant learns a little later that its request was closed.
void wait_until_over(const own_request& asked) {
  while (convene_request_over(asked.get()) == 0)
    std::this_thread::yield();
}

/// Answers what is asked until the runtime is closed.
void answer_all(const runtime_handle& in, const char* reply) {
  while (const auto asked = next_of(in))
    answer(asked, reply);
}

} // namespace

TEST_CASE("a host answers requests that it fetches, in every mode") {
  const auto mode = GENERATE(as<std::string>{}, "broadcast", "pair",
                             "round_robin", "swarm", "orchestrated");
  const auto rt = open_with(nullptr);
  std::thread answering{
    [&] { answer_all(rt, R"({"content": "done", "end": true})"); }};
  const bool leads = mode == "orchestrated";
  const auto session
    = start(rt, scenario_in(mode, leads ? R"(, "session": {"orchestrator": "a"},
                                    "behaviours": {"a": {"type": "plan"}})"
                                        : ""));
  const auto result = result_of(session);
  CHECK(result.at("status") == "completed");
  CHECK(result.at("session_id") == convene_session_id(session.get()));
  CHECK(status_of(session) == "completed");
  REQUIRE(convene_close(rt.get(), nullptr) == CONVENE_OK);
  answering.join();
}

TEST_CASE("a request says what is wanted, and only one answer counts") {
  const auto rt = open_with("{}");
  const auto session = start(rt, scenario_in("round_robin"));
  const auto asked = next_of(rt);
  CHECK(request_of(asked).at("participant").at("participant_id") == "a");
  CHECK(request_of(asked).at("task") == "work");
  CHECK(convene_request_over(asked.get()) == 0);
  own_text error;
  CHECK(convene_answer(asked.get(), R"({"contents": 1})", &error.text)
        == CONVENE_INVALID_DOCUMENT);
  CHECK(error.read().at("details").at("pointer") == "/contents");
  CHECK(answer(asked, "{") == CONVENE_INVALID_JSON);
  CHECK(answer(asked, R"({"content": "first"})") == CONVENE_OK);
  CHECK(answer(asked, R"({"content": "second"})") == CONVENE_OVER);
  // One that is freed fails its turn.
  next_of(rt).reset();
  const auto result = result_of(session);
  CHECK(result.at("turns_total") == 2);
  CHECK(result.at("turns_failed") == 1);
  CHECK(result.at("errors").at(0).at("participants").at(0) == "b");
}

TEST_CASE("what nobody answers for, and what is unknown, is refused at once") {
  const auto rt = open_with(nullptr);
  const auto scenario = scenario_in("round_robin");
  CHECK(refusal_of(rt, scenario, nullptr) == "participant_unbound");
  CHECK(refusal_of(rt, scenario, R"(["a"])") == "participant_unbound");
  CHECK(refusal_of(rt, scenario, R"(["*", "c"])") == "known_participant");
  CHECK(refusal_of(rt, scenario, R"({"a": 1})") == "type");
  CHECK(refusal_of(rt, "[]", nullptr) == "type");
  CHECK(refusal_of(rt, scenario_in("circle"), R"(["*"])") == "enum");
}

TEST_CASE("a descriptor shows whether requests wait") {
  const auto rt = open_with(nullptr);
  CHECK_FALSE(is_readable(rt));
  const auto session = start(rt, scenario_in("round_robin"));
  while (!is_readable(rt))
    std::this_thread::yield();
  const auto first = next_of(rt);
  CHECK_FALSE(is_readable(rt));
  SECTION("also after a wake, until the next call") {
    convene_wake(rt.get());
    CHECK(is_readable(rt));
    CHECK_FALSE(next_of(rt));
    CHECK_FALSE(is_readable(rt));
  }
  SECTION("and once the runtime is closed") {
    REQUIRE(convene_close(rt.get(), nullptr) == CONVENE_OK);
    CHECK(is_readable(rt));
    convene_request* none = nullptr;
    CHECK(convene_next_request(rt.get(), for_ever, &none, nullptr)
          == CONVENE_ENDED);
    CHECK(is_readable(rt));
    wait_until_over(first);
    CHECK(answer(first, "{}") == CONVENE_OVER);
  }
}

TEST_CASE("a request that is over before it was fetched is never returned") {
  const auto rt = open_with(nullptr);
  const auto session = start(rt, scenario_in("round_robin"));
  while (!is_readable(rt))
    std::this_thread::yield();
  REQUIRE(convene_cancel(session.get(), "enough", nullptr) == CONVENE_OK);
  CHECK(result_of(session).at("stop_reason").at("observed") == "enough");
  while (is_readable(rt))
    std::this_thread::yield();
  CHECK_FALSE(next_of(rt, 0));
}

TEST_CASE("a session is suspended, resumed and spoken to") {
  const auto rt = open_with(nullptr);
  const auto session = start(rt, scenario_in("round_robin"));
  const auto first = next_of(rt);
  own_text nothing;
  CHECK(convene_await(session.get(), 0, &nothing.text, nullptr)
        == CONVENE_TIMEOUT);
  CHECK(status_of(session) == "active");
  REQUIRE(convene_suspend(session.get(), "lunch", nullptr) == CONVENE_OK);
  wait_until_over(first);
  CHECK(status_of(session) == "suspended");
  REQUIRE(convene_resume(session.get(), nullptr) == CONVENE_OK);
  const auto again = next_of(rt);
  CHECK(status_of(session) == "active");
  REQUIRE(convene_message(session.get(), "hurry", nullptr, nullptr)
          == CONVENE_OK);
  own_text error;
  CHECK(convene_message(session.get(), "I am", "a", &error.text)
        >= CONVENE_UNREADABLE);
  CHECK(answer(again, R"({"content": "done"})") == CONVENE_OK);
  const auto last = next_of(rt);
  const auto said = json::serialize(request_of(last).at("dialog"));
  CHECK(said.find("hurry") != std::string::npos);
  CHECK(answer(last, "{}") == CONVENE_OK);
  CHECK(result_of(session).at("status") == "completed");
  CHECK(convene_message(session.get(), "late", nullptr, nullptr)
        == CONVENE_NOT_ALLOWED);
}

TEST_CASE("a turn writes before its answer, and the next one sees it") {
  const auto rt = open_with(nullptr);
  const auto session = start(rt, scenario_in("round_robin"));
  const auto first = next_of(rt);
  own_text error;
  CHECK(convene_write(first.get(),
                      R"({"resource_type": "doc", "resource_id": "x",
                          "base_version": 0, "op": "put", "value": 7})",
                      &error.text)
        == CONVENE_OK);
  CHECK(convene_write(first.get(), R"({"resource": "x"})", nullptr)
        == CONVENE_INVALID_DOCUMENT);
  CHECK(convene_claim(first.get(),
                      R"({"resource_type": "doc", "resource_id": "y"})",
                      nullptr)
        == CONVENE_OK);
  CHECK(answer(first, "{}") == CONVENE_OK);
  const auto second = next_of(rt);
  const auto shown = request_of(second).at("workspace").at("resources");
  REQUIRE(shown.as_array().size() == 1);
  CHECK(shown.at(0).at("value") == 7);
  CHECK(answer(second, "{}") == CONVENE_OK);
  result_of(session);
}

TEST_CASE("events come in the log's order, those that a filter selects") {
  const auto rt = open_with(nullptr);
  convene_subscription* made = nullptr;
  own_text error;
  REQUIRE(convene_subscribe(rt.get(),
                            R"({"types": ["MAPSessionStarted",
                                          "MAPSessionCompleted"]})",
                            &made, &error.text)
          == CONVENE_OK);
  const own_subscription events{made};
  CHECK(convene_subscribe(rt.get(), R"({"families": ["none"]})", &made, nullptr)
        >= CONVENE_UNREADABLE);
  const auto session = start(
    rt,
    scenario_in("round_robin", R"(, "behaviours": {"*": {"type": "echo"}})"),
    nullptr);
  result_of(session);
  for (const auto* type : {"MAPSessionStarted", "MAPSessionCompleted"}) {
    own_text event;
    REQUIRE(convene_next_event(events.get(), for_ever, &event.text, nullptr)
            == CONVENE_OK);
    CHECK(event.read().at("event_type") == type);
  }
  own_text none;
  CHECK(convene_next_event(events.get(), 0, &none.text, nullptr)
        == CONVENE_TIMEOUT);
  REQUIRE(convene_close(rt.get(), nullptr) == CONVENE_OK);
  CHECK(convene_next_event(events.get(), for_ever, &none.text, nullptr)
        == CONVENE_ENDED);
}

TEST_CASE("text that is streamed in a turn comes among the events, and is not "
          "on the log") {
  const auto rt = open_with(nullptr);
  convene_subscription* made = nullptr;
  REQUIRE(convene_subscribe(rt.get(),
                            R"({"types": ["MAPTurnCompleted"], "texts": true})",
                            &made, nullptr)
          == CONVENE_OK);
  const own_subscription events{made};
  REQUIRE(convene_subscribe(rt.get(), R"({"participants": ["b"], "texts": true,
                          "types": ["MAPSessionStarted"]})",
                            &made, nullptr)
          == CONVENE_OK);
  const own_subscription other{made};
  const auto session = start(rt, scenario_in("round_robin"));
  const auto first = next_of(rt);
  own_text error;
  CHECK(convene_stream(first.get(), "half ", nullptr) == CONVENE_OK);
  CHECK(convene_stream(first.get(), "\xff", &error.text) == CONVENE_USAGE);
  CHECK(error.rule() == "utf8");
  CHECK(
    convene_stream(first.get(), std::string(1'048'577, 'x').c_str(), nullptr)
    == CONVENE_LIMIT_REACHED);
  CHECK(convene_stream(first.get(), nullptr, nullptr) == CONVENE_USAGE);
  CHECK(answer(first, R"({"content": "half done"})") == CONVENE_OK);
  const auto second = next_of(rt);
  CHECK(convene_stream(second.get(), "more", nullptr) == CONVENE_OK);
  CHECK(answer(second, "{}") == CONVENE_OK);
  result_of(session);
  const auto next = [](const own_subscription& from) {
    own_text event;
    REQUIRE(convene_next_event(from.get(), for_ever, &event.text, nullptr)
            == CONVENE_OK);
    return event.read();
  };
  const auto piece = next(events);
  CHECK(piece.at("text").at("content") == "half ");
  CHECK(piece.at("text").at("participant_id") == "a");
  CHECK(piece.at("text").at("session_id").as_string()
        == convene_session_id(session.get()));
  int turns = 0;
  int texts = 0;
  for (int i = 0; i < 3; ++i)
    ++(next(events).as_object().contains("text") ? texts : turns);
  CHECK(turns == 2);
  CHECK(texts == 1);
  CHECK(next(other).at("text").at("content") == "more");
  REQUIRE(convene_close(rt.get(), nullptr) == CONVENE_OK);
  own_text none;
  CHECK(convene_next_event(events.get(), for_ever, &none.text, nullptr)
        == CONVENE_ENDED);
  CHECK(none.text == nullptr);
}

TEST_CASE("text for a turn that is over goes nowhere") {
  const auto rt = open_with(nullptr);
  const auto session = start(rt, scenario_in("round_robin"));
  const auto first = next_of(rt);
  REQUIRE(convene_cancel(session.get(), nullptr, nullptr) == CONVENE_OK);
  while (convene_request_over(first.get()) == 0)
    std::this_thread::yield();
  CHECK(convene_stream(first.get(), "late", nullptr) == CONVENE_OVER);
}

TEST_CASE("a reader of texts that is too slow learns how many it missed") {
  const auto rt = open_with(nullptr);
  convene_subscription* made = nullptr;
  REQUIRE(convene_subscribe(rt.get(), R"({"types": ["none"], "texts": true})",
                            &made, nullptr)
          == CONVENE_OK);
  const own_subscription events{made};
  const auto session = start(rt, scenario_in("round_robin"));
  const auto first = next_of(rt);
  for (int i = 0; i < 10'007; ++i)
    REQUIRE(convene_stream(first.get(), "x", nullptr) == CONVENE_OK);
  json::value last;
  for (int i = 0; i < 10'001; ++i) {
    own_text event;
    REQUIRE(convene_next_event(events.get(), 0, &event.text, nullptr)
            == CONVENE_OK);
    last = event.read();
  }
  CHECK(last.at("missed") == 7);
}

TEST_CASE("a session that another process began goes on with its host") {
  const convene::tests::scratch_folder folder;
  const auto log
    = json::serialize(json::value((folder / "log.jsonl").string()));
  std::string id;
  std::string token;
  {
    const auto rt = open_with((R"({"log": )" + log + "}").c_str());
    const auto session = start(rt, scenario_in("round_robin"));
    id = convene_session_id(session.get());
    const auto first = next_of(rt);
    REQUIRE(answer(first, R"({"content": "first"})") == CONVENE_OK);
    token = request_of(next_of(rt)).at("token").as_string();
    REQUIRE(convene_suspend(session.get(), nullptr, nullptr) == CONVENE_OK);
    while (read_bytes(folder / "log.jsonl").find(R"("suspend")")
           == std::string::npos)
      std::this_thread::yield();
    // What a kill leaves: the end of the first process is not logged.
    std::filesystem::copy_file(folder / "log.jsonl", folder / "left.jsonl");
  }
  const auto left
    = json::serialize(json::value((folder / "left.jsonl").string()));
  const auto rt
    = open_with((R"({"log": )" + left
                 + R"(, "participants": ["a", "b"], "resume_suspended": true})")
                  .c_str());
  own_text found;
  REQUIRE(convene_recovered(rt.get(), &found.text, nullptr) == CONVENE_OK);
  REQUIRE(found.read().at("sessions").as_array().size() == 1);
  CHECK(found.read().at("sessions").at(0).as_string() == id);
  convene_session* made = nullptr;
  CHECK(convene_recovered_session(rt.get(), "none", &made, nullptr)
        == CONVENE_UNREADABLE);
  REQUIRE(convene_recovered_session(rt.get(), id.c_str(), &made, nullptr)
          == CONVENE_OK);
  const own_session session{made};
  const auto asked = next_of(rt);
  CHECK(request_of(asked).at("participant").at("participant_id") == "b");
  REQUIRE(answer(asked, R"({"content": "second"})") == CONVENE_OK);
  CHECK(result_of(session).at("turns_total") == 3);
}

TEST_CASE("under a seed a session runs in its await, and is the same again") {
  const auto run = [] {
    const auto rt = open_with(R"({"seed": 7})");
    std::thread answering{[&] { answer_all(rt, R"({"content": "done"})"); }};
    const auto session = start(rt, scenario_in("round_robin"));
    CHECK(status_of(session) == "active");
    auto result = json::serialize(result_of(session));
    CHECK(convene_close(rt.get(), nullptr) == CONVENE_OK);
    answering.join();
    return result;
  };
  const auto once = run();
  CHECK(parse_json(once).value().at("duration_ms") == 0);
  CHECK(once == run());
}

TEST_CASE("handles are freed in any order, and null does no harm") {
  auto rt = open_with(nullptr);
  const auto session = start(rt, scenario_in("broadcast"));
  const auto asked = next_of(rt);
  rt.reset();
  CHECK(result_of(session).at("status") == "cancelled");
  wait_until_over(asked);
  CHECK(answer(asked, "{}") == CONVENE_OVER);
  own_text error;
  CHECK(convene_open(nullptr, nullptr, &error.text) == CONVENE_USAGE);
  CHECK(error.rule() == "not_null");
  CHECK(convene_close(nullptr, nullptr) == CONVENE_USAGE);
  CHECK(convene_start(nullptr, nullptr, nullptr, nullptr, nullptr)
        == CONVENE_USAGE);
  CHECK(convene_status(nullptr, nullptr, nullptr) == CONVENE_USAGE);
  CHECK(convene_await(nullptr, 0, nullptr, nullptr) == CONVENE_USAGE);
  CHECK(convene_cancel(nullptr, nullptr, nullptr) == CONVENE_USAGE);
  CHECK(convene_message(session.get(), nullptr, nullptr, nullptr)
        == CONVENE_USAGE);
  CHECK(convene_answer(nullptr, nullptr, nullptr) == CONVENE_USAGE);
  CHECK(convene_answer(asked.get(), nullptr, nullptr) == CONVENE_USAGE);
  CHECK(convene_next_event(nullptr, 0, nullptr, nullptr) == CONVENE_USAGE);
  CHECK(convene_session_id(nullptr) == nullptr);
  CHECK(convene_request_json(nullptr) == nullptr);
  CHECK(convene_request_fd(nullptr) == -1);
  convene_wake(nullptr);
  convene_free(nullptr);
  convene_runtime_free(nullptr);
  convene_session_free(nullptr);
  convene_request_free(nullptr);
  convene_subscription_free(nullptr);
}

TEST_CASE("options that are unknown or not valid are refused by their place") {
  convene_runtime* made = nullptr;
  const auto pointer_of = [&](const char* options) {
    own_text error;
    CHECK(convene_open(options, &made, &error.text) >= CONVENE_UNREADABLE);
    CHECK(made == nullptr);
    const auto details = error.read().at("details").as_object();
    const auto* found = details.if_contains("pointer");
    return found == nullptr ? std::string{} : std::string{found->as_string()};
  };
  CHECK(pointer_of(R"({"thread": 1})") == "/thread");
  CHECK(pointer_of(R"({"threads": -1})") == "/threads");
  CHECK(pointer_of(R"({"durability": "perhaps"})") == "/durability");
  CHECK(pointer_of(R"({"allow": ["fly"]})").empty());
  CHECK(pointer_of("[").empty());
}

TEST_CASE("many threads answer for many sessions at once") {
  const auto rt = open_with(nullptr);
  std::vector<std::thread> answering;
  for (int i = 0; i < 4; ++i)
    answering.emplace_back(
      [&] { answer_all(rt, R"({"content": "done", "end": true})"); });
  std::vector<own_session> sessions;
  for (int i = 0; i < 200; ++i)
    sessions.push_back(start(rt, scenario_in("round_robin")));
  for (const auto& session : sessions)
    CHECK(result_of(session).at("turns_total") == 2);
  REQUIRE(convene_close(rt.get(), nullptr) == CONVENE_OK);
  for (auto& each : answering)
    each.join();
}
