#include "otlp_rules.hpp"

#include <boost/json/serialize.hpp>
#include <catch2/catch.hpp>
#include <convene/protocol/base/utf8.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/otlp/export_request.hpp>
#include <convene/protocol/otlp/session_spans.hpp>

using namespace convene::protocol;
using convene::test::otlp_rules;

namespace {

const std::string session_id = "650e8400-e29b-41d4-a716-446655443002";
using lines = std::vector<std::string>;

/// An event at a second of 2026-01-01; `more` are members beside the payload.
std::string event(int second, const std::string& type,
                  const std::string& payload, const std::string& more = {}) {
  return R"({"event_type": ")" + type + R"(", "timestamp": "2026-01-01T00:00:0)"
         + std::to_string(second) + R"(.000Z", )" + more + R"("payload": {)"
         + payload + "}}";
}

std::string turn(int second, int number, const std::string& who,
                 const std::string& more = {}) {
  return event(second, "MAPTurnDispatched",
               R"("participant_id": ")" + who + R"(", "role_id": "role-)" + who
                 + R"(", "turn_number": )" + std::to_string(number)
                 + R"(, "token_id": "t)" + std::to_string(number) + '"' + more);
}

std::string turn_end(int second, int number, const std::string& who,
                     const std::string& more) {
  return event(second, "MAPTurnCompleted",
               R"("participant_id": ")" + who + R"(", "token_id": "t)"
                 + std::to_string(number) + R"(", )" + more);
}

std::string act(int second, const std::string& id, const std::string& token,
                const std::string& more) {
  return event(second, "action_started",
               R"("participant_id": "ann", "token_id": ")" + token + R"(", )"
                 + more,
               R"("execution_id": ")" + id + R"(", )");
}

std::string act_end(int second, const std::string& id,
                    const std::string& result,
                    const std::string& input = R"("input": "action", )") {
  return event(second, "action_ended",
               R"("participant_id": "ann", "token_id": "t1", )" + input
                 + R"("duration_ms": 7, "result": {)" + result + "}",
               R"("execution_id": ")" + id + R"(", )");
}

const std::string started
  = event(0, "MAPSessionStarted",
          R"("mode": "pair", "policy": "pair", "title": "Fix", "spec":
             {"behaviours": {"ann": {"type": "llm"}}})");
const std::string ended = event(9, "MAPSessionCompleted",
                                R"("status": "completed", "turns_total": 1,
   "stop_reason": {"condition": "rounds", "observed": 1})");

span_trace trace_of(const lines& events, const std::string& id = session_id) {
  session_spans made{id};
  for (const auto& each : events) {
    INFO(each);
    const auto value = parse_json(each);
    REQUIRE(value);
    REQUIRE(made.add(value->as_object()));
  }
  return std::move(made).take();
}

json::value request_of(const lines& events,
                       const std::string& id = session_id) {
  json::value made = export_request(trace_of(events, id), "1.2.3");
  INFO(json::serialize(made));
  CHECK(otlp_rules::broken(made) == lines{});
  return made;
}

/// "name [kind, code: message] start-end", times in seconds after the first.
lines shown(const json::value& request) {
  lines all;
  const auto second = [](const json::value& nanoseconds) {
    const auto text = std::string{nanoseconds.as_string()};
    return std::to_string(std::stoll(text) / 1'000'000'000 - 1'767'225'600);
  };
  for (const auto& each : otlp_rules::spans(request)) {
    const auto& status = each.at("status").as_object();
    all.push_back(std::string{each.at("name").as_string()} + " ["
                  + json::serialize(each.at("kind")) + ", "
                  + json::serialize(status.at("code"))
                  + (status.contains("message")
                       ? ": " + std::string{text_of(status, "message")}
                       : "")
                  + "] " + second(each.at("startTimeUnixNano")) + '-'
                  + second(each.at("endTimeUnixNano")));
  }
  return all;
}

lines events_on(const json::value& span) {
  lines names;
  if (const auto* all = span.as_object().if_contains("events"))
    for (const auto& each : all->as_array())
      names.emplace_back(each.at("name").as_string());
  return names;
}

std::string attribute(const json::value& span, std::string_view key) {
  return otlp_rules::attribute(span, key);
}

} // namespace

TEST_CASE("a session is a trace: its requests, and below them its actions") {
  const auto made = request_of(
    {started, turn(1, 1, "ann", R"(, "step_id": "s", "duty": "driver")"),
     act(2, "x", "t1",
         R"("kind": "model", "name": "small", "position": "1.0",
               "attempt": 1, "arguments": {"provider": "openai"})"),
     act_end(3, "x",
             R"("status": "completed", "usage": {"prompt_tokens": 5,
                   "completion_tokens": 2, "cost_microusd": 11})"),
     act(3, "y", "t1", R"("kind": "mcp", "name": "files/read")"),
     act_end(4, "y",
             R"("status": "failed", "error": {"code": "gone",
                   "message": "no such file"})"),
     act(4, "z", "t1",
         R"("kind": "http", "name": "https://a", "arguments":
               {"method": "POST"})"),
     act_end(5, "z", R"("status": "cancelled", "error":
                {"code": "answered"})",
             ""),
     turn_end(5, 1, "ann",
              R"("status": "completed", "duration_ms": 4000, "reply":
                 {"usage": {"prompt_tokens": 100, "completion_tokens": 0,
                            "cost_microusd": 0}})"),
     ended});
  CHECK(shown(made)
        == lines{"invoke_workflow Fix [1, 1] 0-9",
                 "invoke_agent ann [1, 1] 1-5", "chat small [3, 1] 2-3",
                 "execute_tool files/read [3, 2: no such file] 3-4",
                 "POST https://a [3, 0] 4-5"});
  const auto& spans = otlp_rules::spans(made);
  CHECK(spans[2].at("parentSpanId") == spans[1].at("spanId"));
  CHECK(spans[1].at("parentSpanId") == spans[0].at("spanId"));
  CHECK(attribute(spans[0], "mplp.stop_condition") == "rounds");
  CHECK(attribute(spans[0], "gen_ai.conversation.id") == session_id);
  CHECK(attribute(spans[1], "gen_ai.operation.name") == "invoke_agent");
  CHECK(attribute(spans[1], "mplp.agent_role") == "role-ann");
  CHECK(attribute(spans[1], "mplp.behaviour") == "llm");
  CHECK(attribute(spans[1], "mplp.step_id") == "s");
  CHECK(attribute(spans[1], "mplp.turn_number") == "1");
  CHECK(attribute(spans[2], "gen_ai.provider.name") == "openai");
  CHECK(attribute(spans[2], "gen_ai.request.model") == "small");
  CHECK(attribute(spans[3], "gen_ai.tool.name") == "read");
  CHECK(attribute(spans[3], "mcp.method.name") == "tools/call");
  CHECK(attribute(spans[3], "error.type") == "gone");
  CHECK(attribute(spans[4], "mplp.reason") == "answered");
  const auto& resource = made.at("resourceSpans").at(0).at("resource");
  CHECK(attribute(resource, "service.name") == "convene");
  CHECK(attribute(resource, "service.version") == "1.2.3");
}

TEST_CASE("a session that was called is a part of its caller's trace") {
  const std::string of_caller
    = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
  const auto called = event(0, "MAPSessionStarted",
                            R"("spec": {"trace_context": {"traceparent": ")"
                              + of_caller + R"(", "tracestate": "a=b"}})");
  const auto call = act(
    2, "x", "t1",
    R"("kind": "model", "name": "small", "position": "1.0", "attempt": 2)");
  const auto made = request_of({called, turn(1, 1, "ann"), call, ended});
  const auto& spans = otlp_rules::spans(made);
  REQUIRE(spans.size() == 3);
  for (const auto& each : spans) {
    CHECK(each.at("traceId") == "4bf92f3577b34da6a3ce929d0e0e4736");
    CHECK(each.at("traceState") == "a=b");
  }
  CHECK(spans[0].at("parentSpanId") == "00f067aa0ba902b7");
  CHECK(spans[0].at("flags") == 0x301);
  CHECK(spans[1].at("flags") == 0x101);
  CHECK(attribute(spans[0], "mplp.trace_id")
        == to_string(trace_ids{session_id}.trace()));
  // What a service was given leads to the span of the attempt.
  const trace_context caller{.traceparent = of_caller};
  const auto handed_on = trace_context_of(
    session_id, caller,
    {.participant = "ann", .token = "t1", .position = "1.0", .number = 2});
  const auto span = std::string{spans[2].at("spanId").as_string()};
  CHECK(handed_on.traceparent
        == "00-4bf92f3577b34da6a3ce929d0e0e4736-" + span + "-01");
}

TEST_CASE("a session whose caller is not known is a trace of its own") {
  for (const std::string wrong :
       {"", R"("traceparent": "00-1-2-3")", R"("tracestate": "a=b")"}) {
    INFO(wrong);
    const auto made
      = request_of({event(0, "MAPSessionStarted",
                          R"("spec": {"trace_context": {)" + wrong + "}}"),
                    ended});
    const auto& root = otlp_rules::spans(made).at(0).as_object();
    auto own = to_string(trace_ids{session_id}.trace());
    std::erase(own, '-');
    CHECK(root.at("traceId").as_string() == own);
    CHECK_FALSE(root.contains("parentSpanId"));
    CHECK_FALSE(root.contains("flags"));
    CHECK_FALSE(root.contains("traceState"));
  }
}

TEST_CASE("what an action uses counts for its request and its session, too") {
  const auto usage = [](int tokens) {
    return R"("usage": {"prompt_tokens": )" + std::to_string(tokens)
           + R"(, "completion_tokens": 1, "cost_microusd": 10})";
  };
  const auto made = request_of(
    {started, turn(1, 1, "ann"),
     act(2, "x", "t1", R"("kind": "model", "name": "small")"),
     act_end(3, "x", R"("status": "completed", )" + usage(5)),
     turn_end(4, 1, "ann",
              R"("status": "completed", "reply": {)" + usage(20) + "}"),
     turn(4, 2, "bob"),
     turn_end(5, 2, "bob",
              R"("status": "failed", "reply": {)" + usage(300) + "}")});
  std::vector<lines> used;
  for (const auto& each : otlp_rules::spans(made))
    used.push_back({attribute(each, "gen_ai.usage.input_tokens"),
                    attribute(each, "gen_ai.usage.output_tokens"),
                    attribute(each, "mplp.tokens_used"),
                    attribute(each, "mplp.cost_microusd")});
  CHECK(used
        == std::vector<lines>{{"325", "3", "328", "30"},
                              {"25", "2", "27", "20"},
                              {"5", "1", "6", "10"},
                              {"300", "1", "301", "10"}});
  const auto& chat = otlp_rules::spans(made)[2];
  CHECK(attribute(chat, "mplp.llm.tokens_in") == "5");
  CHECK(attribute(chat, "mplp.llm.tokens_out") == "1");
}

TEST_CASE("turns and answers have the ids of the Trace's segments") {
  const trace_ids ids{session_id};
  const auto made = trace_of(
    {started, turn(1, 1, "ann"),
     turn_end(2, 1, "ann", R"("status": "completed")"),
     event(2, "MAPBroadcastSent",
           R"("broadcast_id": "b", "target_participants": ["bob", "cy"])"),
     event(3, "MAPBroadcastReceived",
           R"("broadcast_ref": "b", "receiver_participant": "cy",
              "receiver_role_id": "role-cy", "status": "declined")"),
     event(4, "MAPBroadcastReceived",
           R"("broadcast_ref": "b", "receiver_participant": "bob",
              "status": "timed_out", "error": {"code": "quorum_reached"})"),
     turn(5, 2, "bob")});
  CHECK(made.id == ids.trace());
  REQUIRE(made.spans.size() == 5);
  CHECK(made.spans[0].id == ids.root_span().high);
  CHECK(made.spans[1].id == ids.segment(0).high);
  CHECK(made.spans[2].id == ids.segment(2).high); // bob answers after cy
  CHECK(made.spans[3].id == ids.segment(1).high);
  CHECK(made.spans[4].id == ids.segment(3).high);
  CHECK(made.spans[3].status == span_status::error);
  // Others had answered: that is not its fault.
  CHECK(made.spans[2].status == span_status::unset);
  CHECK(text_of(made.spans[3].attributes, "mplp.agent_role") == "role-cy");
}

TEST_CASE("an answer that was not needed any more is no error") {
  struct row {
    std::string code;
    span_status shown;
  };
  const auto each = GENERATE(values<row>({
    {"quorum_reached", span_status::unset},
    {"session_ended", span_status::unset},
    {"suspended", span_status::unset},
    {"participant_lost", span_status::error},
  }));
  CAPTURE(each.code);
  const auto made
    = trace_of({started,
                event(2, "MAPBroadcastSent",
                      R"("broadcast_id": "b", "target_participants": ["bob"])"),
                event(3, "MAPBroadcastReceived",
                      R"("broadcast_ref": "b", "receiver_participant": "bob",
              "status": "failed", "error": {"code": ")"
                        + each.code + R"(", "message": "why"})")});
  REQUIRE(made.spans.size() == 2);
  CHECK(made.spans[1].status == each.shown);
  const bool is_error = each.shown == span_status::error;
  CHECK(
    text_of(made.spans[1].attributes, is_error ? "error.type" : "mplp.reason")
    == each.code);
}

TEST_CASE("who takes over a turn links to who gave it") {
  const auto made
    = request_of({started, turn(1, 1, "ann"),
                  turn_end(2, 1, "ann", R"("status": "handed_off")"),
                  event(2, "MAPHandoffInitiated",
                        R"("handoff_id": "h", "from_participant": "ann",
              "to_participant": "bob", "token_id": "t1")"),
                  turn(3, 2, "bob", R"(, "handoff_id": "h")"),
                  turn_end(4, 2, "bob", R"("status": "timed_out", "error":
       {"code": "timed_out", "message": "no reply"})"),
                  ended});
  const auto& spans = otlp_rules::spans(made);
  CHECK(shown(made)
        == lines{"invoke_workflow Fix [1, 1] 0-9",
                 "invoke_agent ann [1, 1] 1-2",
                 "invoke_agent bob [1, 2: no reply] 3-4"});
  CHECK(events_on(spans[1]) == lines{"MAPHandoffInitiated"});
  REQUIRE(spans[2].as_object().contains("links"));
  CHECK(spans[2].at("links").at(0).at("spanId") == spans[1].at("spanId"));
  CHECK(attribute(spans[2], "error.type") == "timed_out");
}

TEST_CASE("what happens is an event of the request that it happens to") {
  const auto conflict = [](int second, const std::string& token) {
    return event(second, "MAPConflictDetected",
                 R"("conflict_id": "c", "conflict_type": "stale_token",
                    "conflicting_participants": ["ann", "bob"], "details":
                    {"participant_id": "ann", "presented_token": ")"
                   + token + R"("})");
  };
  const auto made = request_of(
    {started, turn(1, 1, "ann", R"(, "step_id": "s")"),
     event(1, "step_status_changed",
           R"("resource_id": "s", "to_status": "in_progress")"),
     conflict(2, "t1"),
     event(2, "MAPConflictResolved", R"("conflict_id": "c")"),
     event(3, "resource_written",
           R"("participant_id": "ann", "token_id": "t1", "version": 2)"),
     turn_end(3, 1, "ann", R"("status": "completed")"),
     event(3, "step_status_changed",
           R"("resource_id": "s", "to_status": "completed")"),
     event(4, "session_input", R"("input": "suspend", "reason": "lunch")"),
     conflict(5, "t1"), ended});
  const auto& spans = otlp_rules::spans(made);
  CHECK(events_on(spans[1])
        == lines{"step_status_changed", "MAPConflictDetected",
                 "MAPConflictResolved", "resource_written",
                 "step_status_changed"});
  // The turn was over by then.
  CHECK(events_on(spans[0]) == lines{"suspend", "MAPConflictDetected"});
  const auto& detected = spans[1].at("events").at(1);
  CHECK(attribute(detected, "mplp.conflicting_participants")
        == R"({"values":[{"stringValue":"ann"},{"stringValue":"bob"}]})");
  CHECK(attribute(spans[0].at("events").at(0), "mplp.reason") == "lunch");
}

TEST_CASE("a decision lasts from what led to it, and has its actions below") {
  const auto made = request_of(
    {started, turn(1, 1, "bob"),
     turn_end(2, 1, "bob", R"("status": "completed")"),
     act(4, "x", "d1", R"("kind": "model", "name": "small")"),
     act_end(5, "x", R"("status": "completed")"),
     event(6, "session_input",
           R"("input": "decision", "participant_id": "ann",
              "request_id": "d1", "refused": "nobody is called so")"),
     act(7, "y", "d2", R"("kind": "function", "name": "look")"),
     act_end(8, "y", R"("status": "cancelled", "error":
                {"code": "timed_out"})",
             ""),
     event(8, "session_input",
           R"("input": "decision_timed_out", "participant_id": "ann")"),
     ended});
  CHECK(
    shown(made)
    == lines{"invoke_workflow Fix [1, 1] 0-9", "invoke_agent bob [1, 1] 1-2",
             "invoke_agent ann [1, 2: nobody is called so] 2-6",
             "chat small [3, 1] 4-5", "invoke_agent ann [1, 2: timed_out] 6-8",
             "execute_tool look [1, 0] 7-8"});
  const auto& spans = otlp_rules::spans(made);
  CHECK(attribute(spans[2], "mplp.operation") == "decision");
  CHECK(attribute(spans[4], "mplp.operation") == "decision");
  CHECK(spans[3].at("parentSpanId") == spans[2].at("spanId"));
}

TEST_CASE("a vote lasts from the conflict that it is about") {
  const auto made = request_of(
    {started, event(1, "MAPConflictDetected", R"("conflict_id": "c")"),
     event(2, "session_input", R"("input": "participant_up")"),
     event(3, "session_input",
           R"("input": "vote", "participant_id": "cy", "request_id": "v",
              "reply": {"vote": {"conflict_id": "c", "for": "ann"}})"),
     ended});
  CHECK(
    shown(made)
    == lines{"invoke_workflow Fix [1, 1] 0-9", "invoke_agent cy [1, 1] 1-3"});
  CHECK(attribute(otlp_rules::spans(made)[1], "mplp.operation") == "vote");
}

TEST_CASE("a session that has not ended is shown as far as it got") {
  const auto made
    = request_of({started, turn(1, 1, "ann"),
                  act(2, "x", "t1", R"("kind": "process", "name": "make")"),
                  event(4, "session_input", R"("input": "suspend")")});
  CHECK(shown(made)
        == lines{"invoke_workflow Fix [1, 0] 0-4",
                 "invoke_agent ann [1, 0] 1-4",
                 "execute_tool make [1, 0] 2-4"});
  for (const auto& each : otlp_rules::spans(made))
    CHECK(attribute(each, "mplp.unfinished") == "true");
}

TEST_CASE("a session that was cancelled is an error") {
  const auto made
    = request_of({started, event(3, "MAPSessionCompleted",
                                 R"("status": "cancelled", "stop_reason":
                       {"condition": "no_progress", "observed": "3 turns"})")});
  CHECK(shown(made)
        == lines{"invoke_workflow Fix [1, 2: no_progress: 3 turns] 0-3"});
  CHECK(attribute(otlp_rules::spans(made)[0], "error.type") == "no_progress");
}

TEST_CASE("spans have a bound, and events of spans are only counted then") {
  session_spans made{session_id};
  const auto first = parse_json(started);
  const auto again = parse_json(turn(1, 1, "ann"));
  const auto note = parse_json(event(1, "plan_status_changed", ""));
  REQUIRE(made.add(first->as_object()));
  for (std::size_t i = 0; i < otlp_span_events_max + 3; ++i)
    REQUIRE(made.add(note->as_object()));
  for (std::size_t i = 1; i < otlp_spans_max; ++i)
    REQUIRE(made.add(again->as_object()));
  const auto refused = made.add(again->as_object());
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == errc::limit_reached);
  CHECK(refused.error().rule == "otlp_spans_max");
  CHECK(made.size() == otlp_spans_max);
  const auto trace = std::move(made).take();
  CHECK(trace.spans[0].events.size() == otlp_span_events_max);
  CHECK(trace.spans[0].events_dropped == 3);
}

TEST_CASE("texts are cut between characters") {
  const std::string wide(span_text_bytes_max - 1, 'x');
  CHECK(cut_utf8(wide + "\u00e4", span_text_bytes_max) == wide);
  json::object attributes;
  set_text(attributes, "a", wide + "\u00e4\u00e4");
  set_text(attributes, "b", "");
  set_value(attributes, "c", json::object{{"x", 1}});
  CHECK(attributes == json::object{{"a", wide}});
}

TEST_CASE("times beyond what nanoseconds can say are cut") {
  auto late = started;
  late.replace(late.find("2026"), 4, "9999");
  const auto made = request_of({late});
  CHECK(otlp_rules::spans(made)[0].at("endTimeUnixNano")
        == "18446744073708000000");
}
