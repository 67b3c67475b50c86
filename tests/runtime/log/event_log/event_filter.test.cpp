#include <catch2/catch.hpp>
#include <convene/runtime/log/event_log/event_filter.hpp>

using namespace convene::host;
using convene::protocol::parse_timestamp;
using convene::protocol::parse_uuid;

namespace {

constexpr std::string_view event
  = R"({"event_id":"e","event_type":"MAPTurnCompleted",)"
    R"("event_family":"RuntimeExecutionEvent",)"
    R"("session_id":"00000000-0000-4000-8000-000000000001",)"
    R"("timestamp":"2026-01-31T12:00:00.500Z","payload":{)"
    R"("participant_id":"ana","turn_number":7}})";

} // namespace

TEST_CASE("a filter that asks nothing wants every line") {
  for (const auto line : {event, std::string_view{""}, std::string_view{"x"}})
    CHECK(event_filter{}.matches(line));
}

TEST_CASE("each question of a filter is asked") {
  const auto time = [](const char* text) { return parse_timestamp(text); };
  const auto [filter, wanted] = GENERATE_COPY(table<event_filter, bool>({
    {{.session = parse_uuid("00000000-0000-4000-8000-000000000001")}, true},
    {{.session = parse_uuid("00000000-0000-4000-8000-000000000002")}, false},
    {{.types = {"MAPTurnCompleted"}}, true},
    {{.types = {"MAPTurnDispatched", "MAPTurnCompleted"}}, true},
    {{.types = {"MAPTurn"}}, false},
    {{.families = {"RuntimeExecutionEvent"}}, true},
    {{.families = {"pipeline_stage"}}, false},
    {{.participants = {"ana"}}, true},
    {{.participants = {"an"}}, false},
    {{.from = time("2026-01-31T12:00:00.500Z")}, true},
    {{.from = time("2026-01-31T12:00:00.501Z")}, false},
    {{.to = time("2026-01-31T13:00:00.500+01:00")}, true},
    {{.to = time("2026-01-31T12:00:00.499Z")}, false},
    {{.first_turn = 7}, true},
    {{.first_turn = 8}, false},
    {{.last_turn = 7}, true},
    {{.last_turn = 6}, false},
    {{.types = {"MAPTurnCompleted"}, .participants = {"ben"}}, false},
  }));
  CHECK(filter.matches(event) == wanted);
  CHECK_FALSE(filter.matches("x"));
  CHECK_FALSE(filter.matches("[]"));
  CHECK_FALSE(filter.matches("{}"));
}

TEST_CASE("a participant is found wherever a payload names it") {
  const auto payload = GENERATE(
    as<std::string>{}, R"("receiver_participant":"ana")",
    R"("losing_participants":["ben","ana"])", R"("to_participant":"ana")",
    R"("details":{"participant_id":"ana"})",
    R"("assignments":[{"participant_id":"ben"},{"participant_id":"ana"}])");
  const event_filter ana{.participants = {"ana"}};
  CHECK(ana.matches(R"({"payload":{)" + payload + "}}"));
  CHECK_FALSE(
    ana.matches(R"({"payload":{"task":"ana","reply":{)" + payload + "}}}"));
}
