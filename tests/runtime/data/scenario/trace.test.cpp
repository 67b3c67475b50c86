#include <catch2/catch.hpp>
#include <convene/protocol/documents/document_codec.hpp>
#include <convene/protocol/documents/trace_ids.hpp>
#include <convene/runtime/data/scenario/trace.hpp>

using namespace convene::host;
using namespace convene::protocol;

namespace {

std::string line(const std::string& type, const std::string& second,
                 const std::string& payload) {
  return R"({"event_id":"750e8400-e29b-41d4-a716-446655443001","event_type":")"
         + type + R"(","timestamp":"2026-01-01T00:00:0)" + second
         + R"(.000Z","payload":)" + payload + "}\n";
}

std::string dispatched(int turn) {
  return line("MAPTurnDispatched", "1",
              R"({"participant_id":"ann","turn_number":)" + std::to_string(turn)
                + "}");
}

std::string completed(int turn, const std::string& status) {
  return line("MAPTurnCompleted", "2",
              R"({"turn_number":)" + std::to_string(turn) + R"(,"status":")"
                + status + "\"}");
}

const collab logged_session{.collab_id = "650e8400-e29b-41d4-a716-446655443002",
                            .context_id
                            = "650e8400-e29b-41d4-a716-446655443000",
                            .status = collab_status::completed};

} // namespace

TEST_CASE("each turn and each answer to a broadcast is a segment") {
  trace_builder builder;
  builder.add(line("MAPSessionStarted", "0", "{}") + dispatched(1)
              + dispatched(2));
  builder.add(completed(2, "timed_out") + completed(1, "completed")
              + line("MAPBroadcastReceived", "3",
                     R"({"receiver_participant":"bob","status":"declined"})")
              + line("MAPSessionCompleted", "4", R"({"status":"completed"})"));
  const auto made = builder.finish(logged_session, std::nullopt);
  CHECK(made.status == trace_status::completed);
  CHECK(made.started_at == "2026-01-01T00:00:00.000Z");
  CHECK(made.finished_at == "2026-01-01T00:00:04.000Z");
  REQUIRE(made.segments.size() == 3);
  const auto& all = made.segments;
  CHECK(all[0].label == "turn 1: ann");
  CHECK(all[0].status == segment_status::completed);
  CHECK(all[0].finished_at == "2026-01-01T00:00:02.000Z");
  CHECK(all[1].status == segment_status::failed);
  CHECK(all[2].label == "broadcast: bob");
  CHECK(all[2].status == segment_status::skipped);
  REQUIRE(made.events);
  REQUIRE(made.events->size() == 2);
  CHECK(made.events->front().event_type == "map.session.started");
  CHECK(made.events->back().event_type == "map.session.completed");
  CHECK(made.events->back().timestamp == made.finished_at);
  CHECK(made.events->back().data->at("status") == "completed");
  CHECK(all[1].attributes.status == "timed_out");
  CHECK_FALSE(all[0].attributes.role_id);
}

TEST_CASE("a trace keeps so many segments, counts the rest and says what they "
          "are") {
  trace_builder builder;
  for (int i = 1; i <= static_cast<int>(trace_segments_max) + 3; ++i)
    builder.add(dispatched(i) + completed(i, "completed"));
  const auto made = builder.finish(logged_session, std::nullopt);
  CHECK(made.segments.size() == trace_segments_max);
  CHECK(made.segments.back().status == segment_status::completed);
  const auto& said = *made.root_span.attributes;
  CHECK(said.at("segments_not_kept") == 3);
  CHECK_THAT(std::string{said.at("omitted").as_string()},
             Catch::Contains("turns and answers to broadcasts")
               && Catch::Contains("the event log has them"));
}

TEST_CASE("events as deep as a log may have them are seen") {
  const auto deep = [](int levels) {
    std::string text = "1";
    for (int i = 0; i < levels; ++i)
      text = R"({"a":)" + text + '}';
    return text;
  };
  trace_builder builder;
  builder.add(line("MAPSessionStarted", "0", R"({"spec":)" + deep(120) + '}'));
  builder.add(dispatched(1));
  builder.add(
    line("MAPTurnCompleted", "2",
         R"({"turn_number":1,"status":"completed","reply":)" + deep(64) + '}'));
  const auto made = builder.finish(logged_session, std::nullopt);
  CHECK(made.started_at == "2026-01-01T00:00:00.000Z");
  REQUIRE(made.segments.size() == 1);
  CHECK(made.segments.front().status == segment_status::completed);
}

TEST_CASE("lines that are no events leave no trace") {
  trace_builder builder;
  for (const std::string text :
       {"\n", "{", "\"MAPTurn\n", "[\"MAPTurnDispatched\"]\n",
        "{\"event_type\":\"MAPTurnDispatched\",\"payload\":[]}\n",
        "{\"event_type\":\"MAPTurnCompleted\",\"payload\":{}}\n"})
    builder.add(text);
  CHECK(builder.finish(logged_session, std::nullopt).segments.empty());
}

TEST_CASE("a Trace is the same however its events are written") {
  const std::string plain
    = line("MAPSessionStarted", "0", "{}")
      + line("MAPTurnDispatched", "1",
             R"({"participant_id":"ann","role_id":"r","turn_number":1,)"
             R"("token_id":"t","task":"say \"so\"\n","step_id":"s"})")
      + line(
        "MAPTurnCompleted", "2",
        R"({"turn_number":1,"status":"completed","reply":{"content":"}"}})")
      + line("MAPBroadcastReceived", "3",
             R"({"broadcast_ref":"b","receiver_participant":"bob",)"
             R"("receiver_role_id":"r","status":"failed",)"
             R"("error":{"code":"c","message":"m"}})");
  const auto spaced = [&] {
    std::string text;
    bool is_text = false;
    for (std::size_t i = 0; i < plain.size(); ++i) {
      text += plain[i];
      if (plain[i] == '"' && plain[i - 1] != '\\')
        is_text = !is_text;
      else if (!is_text && (plain[i] == ':' || plain[i] == ','))
        text += ' ';
    }
    return text;
  }();
  trace_builder one;
  one.add(plain);
  trace_builder other;
  other.add(spaced);
  CHECK(one.failures().answers() == 1);
  CHECK(other.failures().answers() == 1);
  const auto made = one.finish(logged_session, std::nullopt);
  REQUIRE(made.segments.size() == 2);
  CHECK(made.segments[0].attributes.step_id == "s");
  CHECK(made.segments[0].attributes.status == "completed");
  CHECK(made.segments[1].attributes.receiver_role_id == "r");
  CHECK(made == other.finish(logged_session, std::nullopt));
}
