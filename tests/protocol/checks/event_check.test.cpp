#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <catch2/catch.hpp>
#include <convene/protocol/base/timestamp.hpp>
#include <convene/protocol/base/uuid.hpp>
#include <convene/protocol/checks/event_check.hpp>

using namespace convene::protocol;

namespace {

using events = std::vector<json::value>;

std::string id(std::uint64_t number) {
  return to_string(derive_uuid({1, 2}, 0, number));
}

/// The payload of an event, with `#n` for the n-th id.
json::value parse(std::string text) {
  for (auto at = text.find('#'); at != text.npos; at = text.find('#', at)) {
    const auto end = text.find_first_not_of("0123456789", at + 1);
    const auto number = std::stoull(text.substr(at + 1, end - at - 1));
    text.replace(at, end - at, id(number));
  }
  return json::parse(text);
}

/// Appends an event, ten milliseconds after the one before.
void add(events& to, const std::string& type, const std::string& family,
         const std::string& payload, const std::string& members = "{}") {
  const auto number = static_cast<int>(to.size());
  json::object event{{"event_id", id(1000 + to.size())},
                     {"event_type", type},
                     {"event_family", family},
                     {"session_id", id(1)},
                     {"timestamp", format_timestamp(1000 + 10 * number)}};
  const auto more = parse(members);
  for (const auto& [name, value] : more.as_object())
    event[name] = value;
  event["payload"] = parse(payload);
  to.emplace_back(std::move(event));
}

/// The policy is the application's own.
void begin(events& to, const std::string& mode,
           const std::string& tasks = "[]") {
  add(to, "MAPSessionStarted", "GraphUpdateEvent",
      R"({"mode":")" + mode
        + R"(","policy":"by_hand","participant_count":3,"context_id":"#2",
          "title":"t","purpose":"p",
          "session_key":"0123456789abcdef0123456789abcdef",
          "spec":{"session":{"policy":"by_hand"},"tasks":)"
        + tasks + "}}");
  add(to, "MAPRolesAssigned", "GraphUpdateEvent",
      R"({"assignments":[
           {"participant_id":"ann","role_id":"lead","kind":"agent"},
           {"participant_id":"bob","role_id":"dev","kind":"agent",
            "role_name":""},
           {"participant_id":"cy","role_id":"dev","kind":"human"}]})");
}

void end(events& to, const std::string& counts) {
  const auto duration = std::to_string(10 * to.size());
  add(to, "MAPSessionCompleted", "GraphUpdateEvent",
      R"({"status":"completed","participants_count":3,)" + counts
        + R"(,"duration_ms":)" + duration
        + R"(,"usage":{"prompt_tokens":0,"completion_tokens":0,
             "cost_microusd":0},
           "stop_reason":{"condition":"enough","observed":"1"}})");
}

/// Of lines 3 and 4, 5 and 6, ...: the turn of `who`, dispatched or completed.
void turn(events& to, const std::string& what, const std::string& who,
          const std::string& number, const std::string& rest) {
  add(to, "MAPTurn" + what, "RuntimeExecutionEvent",
      R"({"participant_id":")" + who + R"(","role_id":"dev","turn_number":)"
        + number + R"(,"token_id":"#10)" + number + "\"," + rest + "}",
      what == "Completed" ? R"({"initiator_role":"dev"})"
                          : R"({"target_roles":["dev"]})");
}

const std::string task_member
  = R"("task":"t","expires_at":"2030-01-01T00:00:00.000Z")";
std::string done_in(const std::string& duration) {
  return R"("status":"completed","output_summary":"c",
            "result":{"status":"completed"},"reply":{"content":"c"},
            "duration_ms":)"
         + duration;
}
const std::string done = done_in("10");
const std::string handed_off
  = R"("status":"handed_off","duration_ms":10,"output_summary":"c",
       "result":{"status":"handed_off"},
       "reply":{"content":"c","handoff":{"to":"cy"}})";

void step(events& to, const std::string& from, const std::string& move_to) {
  add(to, "step_status_changed", "pipeline_stage",
      R"({"resource_type":"step","resource_id":"#31","from_status":")" + from
        + R"(","to_status":")" + move_to + R"(","reason":"r"})",
      R"({"pipeline_id":"#30","stage_id":"#31","stage_name":"d",
          "stage_status":"pending","stage_order":0})");
}

/// Lines: 1 started, 2 assigned, 3 step added, 4 step to blocked,
/// 5 and 6 turn 1, 7 step to pending, 8 its handoff, 9 and 10 a conflict,
/// 11 and 12 turn 2, which comes of it, 13 completed.
events round_robin() {
  events lines;
  begin(lines, "round_robin", R"([{"title":"d"}])");
  add(lines, "step_added", "graph_update",
      R"({"step":{"step_id":"#31","description":"d","status":"pending"}})",
      R"({"graph_id":"#2","update_kind":"node_add","node_delta":1,
          "edge_delta":0,"source_module":"plan"})");
  step(lines, "pending", "blocked");
  turn(lines, "Dispatched", "bob", "1", task_member);
  turn(lines, "Completed", "bob", "1", handed_off);
  step(lines, "blocked", "pending");
  add(lines, "MAPHandoffInitiated", "CommunicationEvent",
      R"({"handoff_id":"#40","from_role":"dev","from_participant":"bob",
          "to_role":"dev","to_participant":"cy","token_id":"#101",
          "turn_number":1})",
      R"({"initiator_role":"dev","target_roles":["dev"]})");
  add(lines, "MAPConflictDetected", "ConflictEvent",
      R"({"conflict_id":"#50","resource_type":"file","resource_id":"a.txt",
          "conflicting_roles":["dev","dev"],
          "conflicting_participants":["cy","bob"],
          "conflict_type":"stale_token","details":{}})");
  add(lines, "MAPConflictResolved", "ConflictEvent",
      R"({"conflict_id":"#50","resolution_strategy":"reject",
          "winning_role":"dev","winning_participant":"bob","reason":"r"})");
  turn(lines, "Dispatched", "cy", "2", task_member + R"(,"handoff_id":"#40")");
  turn(lines, "Completed", "cy", "2", done);
  end(lines, R"("turns_total":2,"broadcasts_count":0,"conflicts_count":1,
                "handoffs_count":1)");
  return lines;
}

/// Lines: 3 and 4 two turns begin, 5 and 6 they end, 7 completed. Each has
/// these `resources`, or none if the text is empty.
events beside(const std::string& first, const std::string& second) {
  events lines;
  begin(lines, "orchestrated");
  const auto asks = [](const std::string& resources) {
    return resources.empty() ? task_member
                             : task_member + R"(,"resources":)" + resources;
  };
  turn(lines, "Dispatched", "bob", "1", asks(first));
  turn(lines, "Dispatched", "cy", "2", asks(second));
  turn(lines, "Completed", "cy", "2", done);
  turn(lines, "Completed", "bob", "1", done_in("30"));
  end(lines, R"("turns_total":2,"broadcasts_count":0,"conflicts_count":0,
                "handoffs_count":0)");
  return lines;
}

void answer(events& to, const std::string& who) {
  add(to, "MAPBroadcastReceived", "CommunicationEvent",
      R"({"broadcast_ref":"#60","receiver_participant":")" + who
        + R"(","receiver_role":"dev","receiver_role_id":"dev",
            "status":"completed","duration_ms":)"
        + (who == "bob" ? "10" : "20")
        + R"(,"response":{"status":"completed"},"reply":{"content":"c"}})",
      R"({"initiator_role":"dev"})");
}

/// Lines: 1 started, 2 assigned, 3 sent, 4 and 5 received, 6 completed.
events broadcast() {
  events lines;
  begin(lines, "broadcast");
  add(lines, "MAPBroadcastSent", "CommunicationEvent",
      R"({"broadcast_id":"#60","broadcaster_participant":"ann",
          "broadcaster_role_id":"lead","target_count":2,
          "target_participants":["bob","cy"],"message_type":"task",
          "message":{"task":"t","round":1,"responses":[]},
          "expires_at":"2030-01-01T00:00:00.000Z"})",
      R"({"initiator_role":"lead","target_roles":["dev","dev"]})");
  answer(lines, "bob");
  answer(lines, "cy");
  end(lines, R"("turns_total":0,"broadcasts_count":1,"conflicts_count":0,
                "handoffs_count":0)");
  return lines;
}

std::vector<finding> check(const events& lines, check_options options = {}) {
  event_checker checker{options};
  for (std::size_t i = 0; i < lines.size(); ++i)
    checker.feed(i + 1, lines[i]);
  return checker.finish();
}

/// `rule@line` of each finding.
std::vector<std::string> rules(const std::vector<finding>& findings) {
  std::vector<std::string> names;
  for (const auto& each : findings)
    names.push_back(each.rule + '@' + std::to_string(each.line));
  return names;
}

using found = std::vector<std::string>;

/// Those of the rules that stand in `expected`: what is wrong with a log breaks
/// other rules, too.
found rules_as_in(const found& expected, const std::vector<finding>& all) {
  auto names = rules(all);
  std::erase_if(names, [&](const auto& name) {
    return std::ranges::none_of(expected, [&](const auto& wanted) {
      return wanted.substr(0, wanted.find('@'))
             == name.substr(0, name.find('@'));
    });
  });
  return names;
}

/// The log with one member, named by a JSON pointer, set to another value.
template <class Value>
events
with(events lines, int line, const std::string& pointer, const Value& value) {
  const auto cut = pointer.rfind('/');
  auto& parent = lines.at(static_cast<std::size_t>(line - 1))
                   .at_pointer(pointer.substr(0, cut));
  const auto name = pointer.substr(cut + 1);
  auto& member = parent.is_array() ? parent.get_array().at(std::stoul(name))
                                   : parent.as_object()[name];
  if constexpr (std::is_convertible_v<Value, std::string_view>)
    member = json::string{std::string_view{value}};
  else
    member = value;
  return lines;
}

events without(events lines, int line) {
  lines.erase(lines.begin() + line - 1);
  return lines;
}

events without_member(events lines, int line, const char* pointer,
                      const char* member) {
  lines.at(static_cast<std::size_t>(line - 1))
    .at_pointer(pointer)
    .as_object()
    .erase(member);
  return lines;
}

/// The log with the event of `line` once more at its end or before `before`,
/// under an event id of its own.
events again(events lines, int line, int before = 0) {
  auto copy = lines.at(static_cast<std::size_t>(line - 1));
  const auto at = before == 0 ? lines.size()
                              : static_cast<std::size_t>(before - 1);
  copy.as_object()["event_id"] = id(5000);
  const auto& neighbour = at == 0 ? lines.front() : lines[at - 1];
  copy.as_object()["timestamp"] = neighbour.at("timestamp");
  lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(at),
               std::move(copy));
  return lines;
}

events swapped(events lines, int a, int b) {
  auto& first = lines.at(static_cast<std::size_t>(a - 1)).as_object();
  auto& second = lines.at(static_cast<std::size_t>(b - 1)).as_object();
  std::swap(first["timestamp"], second["timestamp"]);
  std::swap(first, second);
  return lines;
}

} // namespace

TEST_CASE("a sound log has no findings") {
  CHECK(rules(check(round_robin())) == found{});
  CHECK(rules(check(broadcast())) == found{});
  CHECK(rules(check({})) == found{});
}

TEST_CASE("an event must have its members, of their types") {
  const auto lines = GENERATE(
    without_member(round_robin(), 5, "/payload", "task"),
    without_member(round_robin(), 5, "", "event_id"),
    with(round_robin(), 5, "/event_family", "CommunicationEvent"),
    with(round_robin(), 5, "/payload/expires_at", "tomorrow"),
    with(round_robin(), 5, "/payload/step_id", 5),
    with(round_robin(), 5, "/target_roles", "dev"),
    with(round_robin(), 5, "/timestamp", "1970-01-01T00:00:01.040+00:00"));
  CHECK(rules(check(lines)) == found{"event_shape@5"});
}

TEST_CASE("members of other event types are judged too") {
  const auto [line, pointer] = GENERATE(table<int, const char*>({
    {1, "/payload/session_key"},
    {1, "/payload/spec"},
    {1, "/payload/mode"},
    {2, "/payload/assignments/0/role_id"},
    {3, "/source_module"},
    {3, "/payload/step"},
    {4, "/stage_status"},
    {6, "/payload/result"},
    {8, "/payload/instructions"},
    {9, "/payload/conflicting_roles"},
    {10, "/payload/resolution_strategy"},
    {13, "/payload/usage/cost_microusd"},
    {13, "/payload/status"},
  }));
  CAPTURE(line, pointer);
  const auto findings = check(with(round_robin(), line, pointer, true));
  REQUIRE_FALSE(findings.empty());
  CHECK(rules(findings).front() == "event_shape@" + std::to_string(line));
  const std::string_view path = pointer;
  CHECK_THAT(findings[0].message,
             Catch::Contains(std::string{path.substr(path.rfind('/') + 1)}));
}

TEST_CASE("an unknown event type is a finding") {
  const auto lines = with(broadcast(), 3, "/event_type", "MAPNothing");
  CHECK(rules(check(with(lines, 6, "/payload/broadcasts_count", 0)))
        == found{"event_shape@3", "map_broadcast_has_receivers@4",
                 "map_broadcast_has_receivers@5"});
}

TEST_CASE("what is no event at all is a finding and no more") {
  for (const auto* text : {"null", "[]", "{}", "\"MAPTurnCompleted\"", "1e9",
                           R"({"session_id":{},"event_type":[]})"})
    CHECK(rules(check({json::parse(text)})) == found{"event_shape@1"});
  event_checker checker;
  checker.feed_invalid(7, "unexpected end");
  CHECK(rules(checker.finish()) == found{"json@7"});
}

TEST_CASE("each rule finds the log that breaks it") {
  const auto sound = round_robin();
  const auto talk = broadcast();
  auto second_token = with(sound, 11, "/payload/token_id", id(101));
  second_token = with(second_token, 12, "/payload/token_id", id(101));
  auto gap = with(sound, 11, "/payload/turn_number", 3);
  gap = with(gap, 12, "/payload/turn_number", 3);
  auto stranger = with(sound, 11, "/payload/participant_id", "eve");
  stranger = with(stranger, 12, "/payload/participant_id", "eve");
  auto no_turn = with(without(sound, 12), 12, "/payload/turns_total", 2);
  auto no_stop = without_member(sound, 13, "/payload", "stop_reason");
  auto unresolved = without(sound, 10);
  auto undetected = with(without(sound, 9), 12, "/payload/conflicts_count", 0);
  auto same_conflict = with(again(sound, 9, 11), 14, "/payload/conflicts_count",
                            2);

  const auto [lines, expected] = GENERATE_COPY(table<events, found>({
    {with(sound, 5, "/event_id", id(1000)), {"event_id_unique@5"}},
    {with(sound, 5, "/event_id", "5"), {"event_id_is_uuid_v4@5"}},
    {with(sound, 5, "/event_id", "00000000-0000-1000-8000-000000000000"),
     {"event_id_is_uuid_v4@5"}},
    {with(sound, 5, "/timestamp", "1970-01-01T00:00:01.029Z"),
     {"timestamps_ordered@5"}},
    {without(sound, 1), {"session_starts_first@1"}},
    {again(sound, 1, 5), {"session_starts_first@5"}},
    {with(swapped(sound, 1, 2), 13, "/payload/duration_ms", 110),
     {"session_starts_first@1", "session_starts_first@2"}},
    {without(sound, 2), {"roles_assigned_second@2"}},
    {again(sound, 2, 6), {"roles_assigned_second@6"}},
    {swapped(sound, 2, 3), {"roles_assigned_second@2"}},
    {again(sound, 4), {"nothing_after_end@14"}},
    {again(sound, 13), {"ends_once@14"}},
    {without(sound, 13), {"session_unfinished@12"}},
    {gap, {"turn_numbers_contiguous@11"}},
    {second_token, {"token_ids_unique@11"}},
    {swapped(sound, 6, 11),
     {"handoff_linked@6", "one_live_token@6", "handoff_matches_turn@8",
      "handoff_matches_turn@13"}},
    {with(sound, 6, "/payload/participant_id", "cy"),
     {"map_turn_completion_matches_dispatch@6"}},
    {with(sound, 6, "/payload/role_id", "lead"),
     {"map_turn_completion_matches_dispatch@6"}},
    {with(sound, 6, "/payload/token_id", id(77)),
     {"map_turn_completion_matches_dispatch@6", "handoff_matches_turn@8"}},
    {again(sound, 6, 8), {"map_turn_completion_matches_dispatch@8"}},
    {swapped(sound, 5, 6),
     {"map_turn_completion_matches_dispatch@5", "handoff_matches_turn@8",
      "one_live_token@11", "map_turn_completion_matches_dispatch@13"}},
    {with(no_turn, 12, "/payload/duration_ms", 120),
     {"map_turn_completion_matches_dispatch@12"}},
    {with(sound, 6, "/payload/status", "done"),
     {"turn_status_known@6", "handoff_matches_turn@8"}},
    {with(talk, 5, "/payload/status", "cancelled"),
     {"broadcast_status_known@5"}},
    {without(talk, 5), {"map_broadcast_has_receivers@5"}},
    {again(talk, 4, 6), {"map_broadcast_has_receivers@6"}},
    {with(talk, 5, "/payload/receiver_participant", "ann"),
     {"map_broadcast_has_receivers@5", "map_broadcast_has_receivers@6"}},
    {with(talk, 5, "/payload/broadcast_ref", id(61)),
     {"map_broadcast_has_receivers@5", "map_broadcast_has_receivers@6"}},
    {with(talk, 3, "/payload/target_participants/0", "cy"),
     {"map_broadcast_has_receivers@3", "map_broadcast_has_receivers@4"}},
    {with(talk, 3, "/payload/target_count", 3),
     {"map_broadcast_has_receivers@3"}},
    {unresolved, {"conflict_resolved@10"}},
    {again(sound, 10, 12), {"conflict_resolved@12"}},
    {undetected, {"conflict_detected_before_resolved@9"}},
    {same_conflict, {"conflict_detected_before_resolved@11"}},
    {with(sound, 13, "/payload/turns_total", 3), {"counts_match@13"}},
    {with(sound, 13, "/payload/broadcasts_count", 3), {"counts_match@13"}},
    {with(sound, 13, "/payload/conflicts_count", 3), {"counts_match@13"}},
    {with(sound, 13, "/payload/handoffs_count", 3), {"counts_match@13"}},
    {with(sound, 13, "/payload/duration_ms", 3), {"counts_match@13"}},
    {stranger,
     {"handoff_linked@11", "participants_known@11", "participants_known@12"}},
    {with(sound, 8, "/payload/to_participant", "eve"),
     {"participants_known@8", "handoff_linked@11"}},
    {with(sound, 8, "/payload/from_participant", "cy"),
     {"handoff_matches_turn@8"}},
    {with(sound, 8, "/payload/turn_number", 2), {"handoff_matches_turn@8"}},
    {with(sound, 11, "/payload/handoff_id", id(41)), {"handoff_linked@11"}},
    {with(again(sound, 8, 9), 14, "/payload/handoffs_count", 2),
     {"one_handoff_per_turn@9"}},
    {with(without(sound, 8), 12, "/payload/handoffs_count", 0),
     {"handoff_linked@10", "handoff_matches_turn@12"}},
    {with(sound, 1, "/payload/spec/session/max_handoff_depth", 0),
     {"handoff_depth@8"}},
    {with(sound, 9, "/payload/conflicting_participants/0", "eve"),
     {"participants_known@9"}},
    {with(sound, 10, "/payload/winning_participant", "eve"),
     {"participants_known@10"}},
    {no_stop, {"stop_reason_present@13"}},
    {with(sound, 13, "/payload/stop_reason/condition", ""),
     {"stop_reason_present@13"}},
    {with(sound, 4, "/payload/to_status", "completed"),
     {"step_transition_allowed@4", "step_transition_allowed@7"}},
    {with(sound, 7, "/payload/from_status", "in_progress"),
     {"step_transition_allowed@7"}},
    {without(sound, 4), {"step_transition_allowed@6"}},
    {with(sound, 7, "/payload/to_status", "done"),
     {"step_transition_allowed@7"}},
  }));
  CHECK(rules_as_in(expected, check(lines)) == expected);
}

TEST_CASE("broadcast and swarm sessions may have several open turns") {
  const auto lines = beside({}, {});
  CHECK(rules(check(lines)) == found{"one_live_token@4"});
  CHECK(rules(check(with(lines, 1, "/payload/mode", "swarm"))) == found{});
}

TEST_CASE("turns may be open together if their resources are apart") {
  const auto* const a = R"([{"resource_type":"file","resource_id":"a"}])";
  const auto* const b = R"([{"resource_type":"file","resource_id":"b"}])";
  CHECK(rules(check(beside(a, b))) == found{});
  CHECK(rules(check(beside(a, "[]"))) == found{});
  CHECK(rules(check(beside(a, a))) == found{"one_live_token@4"});
  CHECK(rules(check(beside(a, {}))) == found{"one_live_token@4"});
  CHECK(rules(check(beside({}, b))) == found{"one_live_token@4"});
}

TEST_CASE("a handoff writes what the turns beside it do not name") {
  const auto* const a = R"([{"resource_type":"file","resource_id":"a"}])";
  const auto* const b = R"([{"resource_type":"file","resource_id":"b"}])";
  const auto handed = [&](const char* own, const char* beside,
                          const std::string& written) {
    events lines;
    begin(lines, "orchestrated");
    const auto asks = [](const std::string& more) {
      return task_member + R"(,"resources":)" + more;
    };
    turn(lines, "Dispatched", "bob", "1", asks(a));
    turn(lines, "Dispatched", "ann", "2", asks(beside));
    turn(lines, "Completed", "bob", "1", handed_off);
    add(lines, "MAPHandoffInitiated", "CommunicationEvent",
        R"({"handoff_id":"#40","from_role":"dev","from_participant":"bob",
            "to_role":"dev","to_participant":"cy","token_id":"#101",
            "turn_number":1})",
        R"({"initiator_role":"dev","target_roles":["dev"]})");
    turn(lines, "Dispatched", "cy", "3",
         (own == nullptr ? task_member : asks(own)) + R"(,"handoff_id":"#40")");
    add(lines, "resource_written", "graph_update",
        R"({"resource_type":"file","resource_id":")" + written
          + R"(","version":1,"base_version":0,"op":"put","value":1,
              "participant_id":"cy","role_id":"dev","turn_number":3,
              "token_id":"#103"})",
        R"({"graph_id":"#2","update_kind":"node_add","node_delta":1,
            "edge_delta":1,"source_module":"collab"})");
    std::set<std::string> all;
    for (const auto& each : rules(check(lines)))
      if (each.starts_with("handoff_linked") || each.starts_with("one_live")
          || each.starts_with("write_needs"))
        all.insert(each);
    return all;
  };
  using broken = std::set<std::string>;
  CHECK(handed(nullptr, b, "c") == broken{});
  CHECK(handed(nullptr, b, "a") == broken{});
  CHECK(handed(nullptr, b, "b") == broken{"write_needs_live_token@8"});
  // As logs of earlier versions have it.
  CHECK(handed(a, b, "a") == broken{});
  CHECK(handed(a, b, "c") == broken{"write_needs_live_token@8"});
  CHECK(handed(b, "[]", "b") == broken{"handoff_linked@7"});
}

TEST_CASE("an orchestrator's decision hands off once") {
  events lines;
  begin(lines, "orchestrated");
  const std::string kind = R"({"execution_id":"#70","executor_kind":"agent",
                               "executor_role":"lead","status":"completed"})";
  add(lines, "session_input", "runtime_execution",
      R"({"input":"decision","participant_id":"ann","request_id":"#71",
          "reply":{}})",
      kind);
  add(lines, "MAPHandoffInitiated", "CommunicationEvent",
      R"({"handoff_id":"#40","from_role":"lead","from_participant":"ann",
          "to_role":"dev","to_participant":"cy","token_id":"#71"})",
      R"({"initiator_role":"lead","target_roles":["dev"]})");
  turn(lines, "Dispatched", "cy", "1", task_member + R"(,"handoff_id":"#40")");
  turn(lines, "Completed", "cy", "1", done);
  end(lines, R"("turns_total":1,"broadcasts_count":0,"conflicts_count":0,
                "handoffs_count":1)");
  CHECK(rules(check(lines)) == found{});
  CHECK(rules(check(with(lines, 4, "/payload/token_id", id(72))))
        == found{"handoff_matches_turn@4"});
  CHECK(rules(check(with(lines, 4, "/payload/from_participant", "bob")))
        == found{"handoff_matches_turn@4", "roles_match@4", "roles_match@4"});
  CHECK(rules(check(with(again(lines, 4, 5), 8, "/payload/handoffs_count", 2)))
        == found{"one_handoff_per_turn@5"});
}

TEST_CASE("a log that stops early passes where that is allowed") {
  auto lines = round_robin();
  for (auto size = lines.size() - 1; size > 0; --size) {
    lines.resize(size);
    CHECK(rules(check(lines, {.allow_unfinished = true})) == found{});
    CHECK(rules(check(lines))
          == found{"session_unfinished@" + std::to_string(size)});
  }
}

TEST_CASE("sessions of one log are told apart however they interleave") {
  auto other = broadcast();
  for (auto& each : other) {
    auto& event = each.as_object();
    event["session_id"] = id(9);
    event["event_id"]
      = id(static_cast<std::uint64_t>(7000 + (&each - other.data())));
  }
  const auto own = round_robin();
  events mixed;
  for (std::size_t i = 0; i < own.size(); ++i) {
    mixed.push_back(own[i]);
    if (i < other.size())
      mixed.push_back(other[i]);
  }
  CHECK(rules(check(mixed)) == found{});
  mixed.erase(mixed.begin() + 7);
  const auto findings = check(mixed);
  CHECK(rules(findings) == found{"map_broadcast_has_receivers@11"});
  CHECK(findings.at(0).session_id == id(9));
}

TEST_CASE("findings are bounded, counted and short, whatever the log quotes") {
  event_checker checker{{.findings_max = 3}};
  for (std::size_t i = 1; i <= 10; ++i)
    checker.feed_invalid(i, "no");
  CHECK(checker.findings_total() == 10);
  CHECK(checker.finish().size() == 3);
  auto lines = round_robin();
  const std::string long_text(100000, 'x');
  for (const auto* pointer : {"/event_type", "/event_id", "/session_id",
                              "/payload/participant_id", "/payload/token_id"})
    for (const auto& each : check(with(lines, 5, pointer, long_text))) {
      CHECK(each.message.size() < 400);
      CHECK(each.session_id.size() <= 36);
    }
}

TEST_CASE("any member of any type, changed to anything, is survived") {
  const json::value values[]{nullptr,
                             true,
                             -1,
                             1e300,
                             "",
                             "\n\xc3\xa4",
                             json::array{1, nullptr},
                             json::object{},
                             std::numeric_limits<std::int64_t>::max(),
                             std::numeric_limits<std::uint64_t>::max()};
  for (const auto& sound : {round_robin(), broadcast()})
    for (std::size_t i = 0; i < sound.size(); ++i)
      for (const auto& value : values) {
        for (const auto* name : {"event_id", "event_type", "event_family",
                                 "session_id", "timestamp", "payload"}) {
          auto lines = sound;
          lines[i].as_object()[name] = value;
          CHECK_FALSE(check(lines).empty());
        }
        for (const auto& [name, old] : sound[i].at("payload").as_object()) {
          auto lines = sound;
          lines[i].at("payload").as_object()[name] = value;
          static_cast<void>(check(lines));
        }
      }
}

TEST_CASE("numbers at the ends of their range are judged, too") {
  constexpr auto most = std::numeric_limits<std::int64_t>::max();
  constexpr auto least = std::numeric_limits<std::int64_t>::min();
  for (const auto number : {most, least, std::int64_t{-1}}) {
    auto lines = round_robin();
    for (auto& line : lines)
      for (auto& [name, value] : line.at("payload").as_object())
        if (value.is_int64())
          value = number;
    lines[0].at_pointer("/payload/spec/session").as_object()
      = {{"turn_timeout_ms", number},
         {"claim_timeout_ms", number},
         {"max_turns", number},
         {"rounds", number}};
    CHECK_FALSE(check(lines).empty());
  }
}
