#include <boost/json/serialize.hpp>
#include <catch2/catch.hpp>
#include <convene/protocol/events/any_event.hpp>
#include <convene/protocol/events/describe_payloads.hpp>
#include <protocol/checks/filler.hpp>
#include <rapidcheck.h>

using namespace convene::protocol;

namespace {

/// A random payload of the type with this index.
template <class Payload>
Payload random_payload(std::size_t type, std::uint32_t seed) {
  Payload made;
  filler fill{seed};
  const auto make = [&]<std::size_t at>() {
    describe(fill, made.template emplace<at>());
  };
  [&]<std::size_t... i>(std::index_sequence<i...>) {
    ((i == type ? make.template operator()<i>() : void()), ...);
  }
  (std::make_index_sequence<std::variant_size_v<Payload>>{});
  return made;
}

template <class Event, class Payload>
void check_payloads(const Event& event) {
  for (std::size_t type = 0; type < std::variant_size_v<Payload>; ++type)
    CHECK(rc::check([&](std::uint32_t seed) {
      const auto payload = random_payload<Payload>(type, seed);
      auto with = event;
      set_payload(with, payload);
      RC_ASSERT(static_cast<std::size_t>(with.event_type) == type);
      const auto decoded = decode_payload(with);
      if (!decoded)
        RC_FAIL(json::serialize(*with.payload) + to_string(decoded.error()));
      RC_ASSERT((*decoded == payload));
    }));
}

template <class Event>
error refusal(const char* line) {
  const auto event = decode_event_line(line);
  REQUIRE(event);
  const auto payload = decode_payload(std::get<Event>(*event), "/7");
  REQUIRE_FALSE(payload);
  return payload.error();
}

/// A line with what all events of the profile have, and `rest`.
std::string sa_line(const std::string& rest) {
  return R"({"event_id":"00000000-0000-4000-8000-000000000001",)"
         R"("timestamp":"2026-01-31T12:00:00Z",)"
         R"("sa_id":"00000000-0000-4000-8000-000000000002",)"
         + rest + '}';
}

std::string map_line(const std::string& rest) {
  return R"({"event_id":"00000000-0000-4000-8000-000000000001",)"
         R"("timestamp":"2026-01-31T12:00:00Z",)"
         R"("session_id":"00000000-0000-4000-8000-000000000002",)"
         + rest + '}';
}

} // namespace

TEST_CASE("a payload that was set is read back, with the type it belongs to") {
  const std::string id = "00000000-0000-4000-8000-000000000001";
  check_payloads<sa_event, sa_payload>(
    {.context_id = id, .plan_id = id, .trace_id = id});
  check_payloads<map_event, map_payload>({});
}

TEST_CASE("a native MAP event has the family of its type") {
  map_event event;
  set_payload(event,
              handoff_initiated_payload{.from_role = "a", .to_role = "b"});
  CHECK(event.event_type == map_event_type::handoff_initiated);
  CHECK(event.event_family == map_family::communication);
  set_payload(event, conflict_resolved_payload{.conflict_id = "c"});
  CHECK(event.event_family == map_family::conflict);
}

TEST_CASE("the profile's demands on single agents' events are enforced") {
  const auto [rest, rule, pointer] = GENERATE(table<const char*, const char*,
                                                    const char*>({
    {R"("event_type":"SAContextLoaded")", "required", "/7"},
    {R"("event_type":"SAPlanEvaluated")", "required", "/7"},
    {R"("event_type":"SATraceEmitted")", "required", "/7"},
    {R"("event_type":"SAStepStarted")", "required", "/7/payload"},
    {R"("event_type":"SAStepStarted","payload":{"step_id":"first"})", "format",
     "/7/payload/step_id"},
    {R"("event_type":"SAStepCompleted","payload":{"status":"skipped","step_id":"00000000-0000-4000-8000-000000000003"})",
     "enum", "/7/payload/status"},
    {R"("event_type":"SAStepFailed","payload":{})", "required", "/7/payload"},
    {R"("event_type":"SACompleted","payload":{"steps_failed":-1})", "minimum",
     "/7/payload/steps_failed"},
    {R"("event_type":"SAInitialized","payload":{"capabilities":"all"})", "type",
     "/7/payload/capabilities"},
  }));
  INFO(rest);
  const auto refused = refusal<sa_event>(sa_line(rest).c_str());
  CHECK(refused.rule == rule);
  CHECK(refused.pointer == pointer);
}

TEST_CASE("a payload without what its MAP event is about is refused") {
  const auto [rest, rule, pointer] = GENERATE(table<const char*, const char*,
                                                    const char*>({
    {R"("event_type":"MAPSessionStarted")", "required", "/7/payload"},
    {R"("event_type":"MAPSessionStarted","payload":{"mode":"chaos"})", "enum",
     "/7/payload/mode"},
    {R"("event_type":"MAPRolesAssigned","payload":{"assignments":[{}]})",
     "required", "/7/payload/assignments/0"},
    {R"("event_type":"MAPTurnDispatched","payload":{"role_id":"a"})",
     "required", "/7/payload"},
    {R"("event_type":"MAPTurnCompleted","payload":{"role_id":"a","turn_number":"1"})",
     "type", "/7/payload/turn_number"},
    {R"("event_type":"MAPConflictDetected","payload":{})", "required",
     "/7/payload"},
  }));
  INFO(rest);
  const auto refused = refusal<map_event>(map_line(rest).c_str());
  CHECK(refused.rule == rule);
  CHECK(refused.pointer == pointer);
}

// Events of the shapes in MPLP profiles-and-events.md 2.4, with free role names
// and few members.
TEST_CASE("sparse MAP events are read and lose nothing") {
  const auto rest = GENERATE(
    R"("event_type":"MAPSessionStarted","payload":{"mode":"orchestrated","participant_count":4,"purpose":"build it"})",
    R"("event_type":"MAPRolesAssigned","payload":{"assignments":[{"participant_id":"coder-1","role_id":"role-coder","kind":"agent"}]})",
    R"("event_type":"MAPTurnDispatched","initiator_role":"role-architect","target_roles":["role-coder"],"payload":{"role_id":"role-coder","turn_number":1,"token_id":"token-1","task":"write it"})",
    R"("event_type":"MAPTurnCompleted","payload":{"role_id":"role-coder","turn_number":1,"status":"changes_requested","duration_ms":12})",
    R"("event_type":"MAPBroadcastSent","target_roles":["a","b"],"payload":{"message_type":"task","message":{"task":"x","deadline_ms":5}})",
    R"("event_type":"MAPBroadcastReceived","payload":{"receiver_role":"a","broadcast_ref":"b-1","response":{"approach":"y","confidence":0.5}})",
    R"("event_type":"MAPConflictDetected","payload":{"conflict_id":"c-1","details":"both wrote","conflict_type":"concurrent_modification"})",
    R"("event_type":"MAPConflictResolved","payload":{"conflict_id":"c-1","resolution_strategy":"hierarchy","winning_role":"a"})",
    R"("event_type":"MAPSessionCompleted","payload":{"status":"completed","turns_total":3,"participants_count":4})",
    R"("event_type":"MAPSessionCompleted","payload":{"status":"cancelled","turns_total":0,"stop_reason":{"condition":"max_turns","limit":9}})");
  const auto text = map_line(rest);
  INFO(text);
  const auto event = decode_event_line(text);
  REQUIRE(event);
  CHECK(encode_event(*event) == parse_json(text).value());
  auto map = std::get<map_event>(*event);
  const auto before = *map.payload;
  set_payload(map, decode_payload(map).value());
  CHECK(*map.payload == before);
}
