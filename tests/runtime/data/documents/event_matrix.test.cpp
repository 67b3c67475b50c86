#include <catch2/catch.hpp>
#include <convene/runtime/data/documents/check_matrix.hpp>

using namespace convene::host;

namespace {

using texts = std::vector<std::string>;

std::string session_event(const std::string& type, const std::string& rest) {
  return R"({"event_id":"0f9b7c5e-1a2b-4c3d-8e4f-5a6b7c8d9e0f",
             "event_type":")"
         + type + R"(","session_id":"8d1f0f3e-2c4b-4f6a-9b1d-000000000001",
             "timestamp":"2026-01-01T00:00:00Z")"
         + rest + "}";
}

file_verdict verdict_of(const std::string& text, bool strict = false) {
  file_verdict out;
  REQUIRE(check_document(text, {.strict = strict}, out));
  return out;
}

/// `rule` or keyword, and the place, of each error.
texts errors_of(const file_verdict& verdict) {
  texts all;
  for (const auto& one : verdict.errors)
    all.push_back((one.rule.id.empty() ? one.keyword : one.rule.id) + ' '
                  + one.instance);
  return all;
}

} // namespace

TEST_CASE("an official event must have what the event matrix asks for") {
  const auto [text, expected] = GENERATE(table<std::string, texts>({
    {session_event("MAPTurnDispatched", R"(,"payload":{"role_id":"r"})"),
     {"event_matrix /payload"}},
    {session_event("MAPTurnDispatched",
                   R"(,"payload":{"role_id":"r","turn_number":1})"),
     {}},
    {session_event("MAPSessionStarted", ""), {"event_matrix /payload"}},
    {session_event("MAPSessionStarted",
                   R"(,"payload":{"mode":"anarchy","participant_count":2})"),
     {"event_matrix /payload/mode"}},
    {session_event("MAPSessionStarted",
                   R"(,"payload":{"mode":"swarm","participant_count":2})"),
     {}},
    {session_event("MAPSessionCompleted",
                   R"(,"payload":{"status":"completed"})"),
     {"event_matrix /payload"}},
    {session_event("MAPBroadcastSent", ""), {}},
    // What the schema refuses, the rule leaves alone.
    {session_event("MAPTurnDispatched", R"(,"payload":7)"), {"type /payload"}},
  }));
  CAPTURE(text);
  const auto verdict = verdict_of(text);
  CHECK(errors_of(verdict) == expected);
  CHECK(
    verdict.schemas
    == std::map<std::string, std::size_t, std::less<>>{{"mplp-map-event", 1}});
  CHECK(verdict.schema == "mplp-map-event");
}

TEST_CASE("the official schema alone leaves an event's payload open") {
  const auto text = session_event("MAPTurnDispatched",
                                  R"(,"payload":{"role_id":"r"})");
  CHECK(errors_of(verdict_of(text, true)) == texts{});
}

TEST_CASE("an event in the seeds' form is held to the matrix, too") {
  const auto text = R"({"event_type":"MAPTurnDispatched",
    "event_family":"RuntimeExecutionEvent","session_id":"collab-1",
    "timestamp":"2026-01-01T00:00:00Z","payload":{"role_id":"r"}})";
  CHECK(errors_of(verdict_of(text)) == texts{"event_matrix /payload"});
}

TEST_CASE("an event in native form is held to the native schema") {
  const auto native = session_event("MAPTurnDispatched",
                                    R"(,"event_family":"RuntimeExecutionEvent",
                               "payload":{"role_id":"r"})");
  const auto verdict = verdict_of(native);
  CHECK(verdict.schema == "convene-native-event");
  CHECK_FALSE(verdict.valid());
  // On a log every event is native, whatever it lacks.
  file_verdict log;
  REQUIRE(check_line(R"({"log_opened":{"format":1}})", 1, {}, log));
  REQUIRE(check_line(session_event("MAPSessionStarted", ""), 2, {}, log));
  CHECK(log.schema == "convene-native-event");
  CHECK_FALSE(log.valid());
}

TEST_CASE("an event of a single-agent run is held to the matrix") {
  const auto text = [](const std::string& more) {
    return R"({"event_id":"0f9b7c5e-1a2b-4c3d-8e4f-5a6b7c8d9e0f",
      "event_type":"SAPlanEvaluated",
      "sa_id":"8d1f0f3e-2c4b-4f6a-9b1d-000000000001",
      "timestamp":"2026-01-01T00:00:00Z")"
           + more + "}";
  };
  CHECK(errors_of(verdict_of(text(""))) == texts{"event_matrix "});
  CHECK(errors_of(verdict_of(
          text(R"(,"plan_id":"0f9b7c5e-1a2b-4c3d-8e4f-5a6b7c8d9e0f")")))
        == texts{});
}
