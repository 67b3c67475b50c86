#include <protocol/invariants/samples.hpp>

using namespace convene::protocol;
using namespace convene::test;

// Events as the seeds show them: ids of any form, no event_id.

namespace {

using names = std::vector<std::string>;

constexpr auto turn = "map_turn_completion_matches_dispatch";
constexpr auto broadcast = "map_broadcast_has_receivers";
constexpr auto token = "map_exclusive_write";

json::value event(std::string_view type, json::object payload,
                  std::string_view session = "collab-1") {
  return {{"event_type", "MAP" + std::string{type}},
          {"session_id", session},
          {"payload", std::move(payload)}};
}

json::value dispatched(int number, const char* role,
                       std::string_view session = "collab-1") {
  return event("TurnDispatched", {{"turn_number", number}, {"role_id", role}},
               session);
}

json::value completed(int number, const char* role,
                      std::string_view session = "collab-1") {
  return event("TurnCompleted", {{"turn_number", number}, {"role_id", role}},
               session);
}

json::value with_resources(json::value event, std::vector<const char*> ids) {
  json::array all;
  for (const auto* each : ids)
    all.push_back({{"resource_type", "file"}, {"resource_id", each}});
  event.at("payload").as_object()["resources"] = std::move(all);
  return event;
}

names broken(const json::array& events) {
  static const auto rules = rules_of({turn, broadcast, token});
  return broken_by_events(rules, events);
}

json::value started(const char* mode) {
  return event("SessionStarted", {{"mode", mode}});
}

} // namespace

TEST_CASE("each turn that is dispatched is completed once") {
  CHECK(broken({dispatched(1, "coder"), completed(1, "coder"),
                dispatched(2, "coder"), completed(2, "coder")})
          .empty());
  CHECK(broken({dispatched(1, "coder")}) == names{turn});
  CHECK(broken({completed(1, "coder")}) == names{turn});
  CHECK(broken({dispatched(1, "coder"), completed(1, "coder"),
                completed(1, "coder")})
        == names{turn});
  CHECK(broken({dispatched(1, "coder"), dispatched(1, "coder"),
                completed(1, "coder")})
        == names{turn});
  CHECK(broken({dispatched(1, "coder"), completed(1, "tester")})
        == names{turn});
  CHECK(broken({dispatched(1, "coder"), completed(2, "coder")})
        == names{turn, turn});
  CHECK(broken({dispatched(1, "coder", "a"), completed(1, "coder", "b")})
        == names{turn, turn});
  CHECK(broken({event("TurnDispatched", {{"role_id", "coder"}})})
        == names{turn});
}

TEST_CASE("an open turn is told at the session's end, once") {
  CHECK(broken({dispatched(1, "coder"), event("SessionCompleted", {})})
        == names{turn});
}

TEST_CASE("members may stand in the event where the seeds list them") {
  const json::value flat{{"event_type", "MAPTurnDispatched"},
                         {"session_id", "collab-1"},
                         {"turn_number", 1},
                         {"role_id", "coder"}};
  CHECK(broken({flat, completed(1, "coder")}).empty());
}

TEST_CASE("each broadcast has at least one receiver") {
  const auto sent = event("BroadcastSent", {{"broadcast_id", "b"}});
  const auto received = event("BroadcastReceived", {{"broadcast_ref", "b"}});
  CHECK(broken({sent, received, received}).empty());
  CHECK(broken({sent}) == names{broadcast});
  CHECK(broken({received, sent}) == names{broadcast});
  CHECK(broken({event("BroadcastSent", {}), received}) == names{broadcast});
}

TEST_CASE("where participants take turns, one at a time has the token") {
  const json::array two{dispatched(1, "coder"), dispatched(2, "tester"),
                        completed(1, "coder"), completed(2, "tester")};
  for (const auto* mode : {"round_robin", "orchestrated"}) {
    json::array events{started(mode)};
    events.insert(events.end(), two.begin(), two.end());
    CHECK(broken(events) == names{token});
  }
  for (const auto* mode : {"pair", "broadcast", "swarm"}) {
    json::array events{started(mode)};
    events.insert(events.end(), two.begin(), two.end());
    CHECK(broken(events).empty());
  }
}

TEST_CASE("turns with resources apart may be open together") {
  const auto both = [](json::value second) {
    return broken(
      {started("orchestrated"), with_resources(dispatched(1, "coder"), {"a"}),
       std::move(second), completed(1, "coder"), completed(2, "tester")});
  };
  const auto second = dispatched(2, "tester");
  CHECK(both(with_resources(second, {"b"})).empty());
  CHECK(both(with_resources(second, {})).empty());
  CHECK(both(with_resources(second, {"b", "a"})) == names{token});
  CHECK(both(second) == names{token});
}

TEST_CASE("only the holder of a token completes its turn") {
  const auto with = [](const char* type, const char* id, const char* who) {
    return event(type, {{"turn_number", 1},
                        {"role_id", "coder"},
                        {"token_id", id},
                        {"participant_id", who}});
  };
  const auto given = with("TurnDispatched", "t-1", "ann");
  CHECK(
    broken({started("round_robin"), given, with("TurnCompleted", "t-1", "ann")})
      .empty());
  CHECK(
    broken({started("round_robin"), given, with("TurnCompleted", "t-2", "ann")})
    == names{token});
  CHECK(
    broken({started("round_robin"), given, with("TurnCompleted", "t-1", "bob")})
    == names{token});
  CHECK(broken({started("round_robin"), completed(1, "coder")})
        == names{turn, token});
}

TEST_CASE("what is no event of a session is passed over") {
  CHECK(
    broken({nullptr, 7, "MAPTurnDispatched", json::array{}, json::object{},
            json::object{{"event_type", 1}, {"session_id", "s"}},
            json::object{{"event_type", "MAPTurnDispatched"}},
            json::object{{"event_type", "SAStepStarted"}, {"session_id", "s"}},
            event("Never", {})})
      .empty());
  CHECK(broken({json::object{{"event_type", "MAPTurnCompleted"},
                             {"session_id", "s"},
                             {"payload", 7}}})
        == names{turn});
}

TEST_CASE("rules that are not chosen are not checked") {
  const auto rules = rules_of({broadcast});
  CHECK(session_rules{rules}.rules_total() == 1);
  CHECK(broken_by_events(rules, {dispatched(1, "coder")}).empty());
}

TEST_CASE("more that is open than can be remembered is refused") {
  const auto rules = rules_of({turn, broadcast});
  session_rules sessions{rules, 3};
  const session_rule_visitor ignore = [](const broken_session_rule&) {};
  const auto feed = [&](const json::value& one) {
    return sessions.feed(0, one, ignore);
  };
  // What is closed makes room: for turns, for broadcasts, for sessions.
  for (int i = 0; i < 10; ++i) {
    REQUIRE(feed(dispatched(i, "coder")));
    REQUIRE(feed(event("BroadcastSent", {{"broadcast_id", "b"}})));
    REQUIRE(feed(completed(i, "coder")));
    REQUIRE(feed(event("BroadcastReceived", {{"broadcast_ref", "b"}})));
  }
  for (int i = 0; i < 10; ++i) {
    REQUIRE(feed(dispatched(i, "coder")));
    REQUIRE(feed(event("BroadcastSent", {{"broadcast_id", "b"}})));
    REQUIRE(feed(event("SessionCompleted", {})));
  }
  REQUIRE(feed(dispatched(1, "coder")));
  REQUIRE(feed(dispatched(2, "coder")));
  const auto refused = feed(dispatched(3, "coder"));
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == errc::limit_reached);
  CHECK(refused.error().rule == "open_things_max");
}

namespace {

json::value held_turn(const char* what, int number, const char* who,
                      const char* duty = "") {
  return event(what, {{"turn_number", number},
                      {"role_id", "r"},
                      {"participant_id", who},
                      {"token_id", "t" + std::to_string(number)},
                      {"duty", duty}});
}

json::value written(const char* who, const char* by_token,
                    const char* conflict = "") {
  auto made = event("", {{"resource_type", "file"},
                         {"resource_id", "a"},
                         {"participant_id", who},
                         {"token_id", by_token},
                         {"conflict_id", conflict}});
  made.as_object()["event_type"] = "resource_written";
  return made;
}

} // namespace

TEST_CASE("where participants take turns only the token's holder writes") {
  const auto mode = GENERATE("round_robin", "orchestrated", "pair");
  const auto by = [&](const json::value& write) {
    return broken({started(mode), held_turn("TurnDispatched", 1, "ann"), write,
                   held_turn("TurnCompleted", 1, "ann")});
  };
  CHECK(by(written("ann", "t1")) == names{});
  CHECK(by(written("bob", "t1")) == names{token});
  CHECK(by(written("ann", "t7")) == names{token});
  CHECK(broken({started(mode), written("ann", "t1")}) == names{token});
  CHECK(broken({started(mode), held_turn("TurnDispatched", 1, "ann"),
                held_turn("TurnCompleted", 1, "ann"), written("ann", "t1")})
        == names{token});
  CHECK(broken({started("swarm"), written("ann", "t1")}) == names{});
}

TEST_CASE("a turn writes what it names, and a navigator's nothing") {
  const auto by = [&](json::value turn) {
    turn.at("payload").as_object()["participant_id"] = "ann";
    turn.at("payload").as_object()["token_id"] = "t1";
    return broken({started("pair"), turn, written("ann", "t1"),
                   held_turn("TurnCompleted", 1, "ann")});
  };
  CHECK(by(with_resources(dispatched(1, "r"), {"a", "b"})) == names{});
  CHECK(by(with_resources(dispatched(1, "r"), {"b"})) == names{token});
  CHECK(by(held_turn("TurnDispatched", 1, "ann", "driver")) == names{});
  CHECK(by(held_turn("TurnDispatched", 1, "ann", "navigator")) == names{token});
}

TEST_CASE(
  "a handoff may be open beside others, and writes what they do not name") {
  const auto beside = [](std::vector<const char*> named) {
    auto handed = held_turn("TurnDispatched", 1, "ann");
    handed.at("payload").as_object()["handoff_id"] = "h";
    return broken({started("orchestrated"),
                   with_resources(dispatched(2, "other"), std::move(named)),
                   handed, written("ann", "t1"),
                   held_turn("TurnCompleted", 1, "ann"),
                   completed(2, "other")});
  };
  CHECK(beside({"b"}) == names{});
  CHECK(beside({"a"}) == names{token});
}

TEST_CASE("a write that others voted on may follow when its turn is over") {
  const auto detected = event("ConflictDetected", {{"conflict_id", "c"},
                                                   {"details",
                                                    {{"participant_id", "ann"},
                                                     {"presented_token", "t1"},
                                                     {"asked", {"bob"}}}}});
  const json::array voted{started("round_robin"),
                          held_turn("TurnDispatched", 1, "ann"), detected,
                          held_turn("TurnCompleted", 1, "ann"),
                          written("ann", "t1", "c")};
  CHECK(broken(voted) == names{});
  auto twice = voted;
  twice.push_back(written("ann", "t1", "c"));
  CHECK(broken(twice) == names{token});
  auto other = voted;
  other.back() = written("bob", "t1", "c");
  CHECK(broken(other) == names{token});
}

TEST_CASE("whoever is asked by a broadcast may write until it answers") {
  const json::array asked{started("orchestrated"),
                          event("BroadcastSent",
                                {{"broadcast_id", "t1"},
                                 {"target_participants", {"ann", "bob"}}}),
                          written("ann", "t1")};
  CHECK(broken(asked) == names{broadcast});
  auto answered = asked;
  answered.push_back(
    event("BroadcastReceived",
          {{"broadcast_ref", "t1"}, {"receiver_participant", "ann"}}));
  CHECK(broken(answered) == names{});
  auto late = answered;
  late.push_back(written("bob", "t1"));
  CHECK(broken(late) == names{});
  late.push_back(written("ann", "t1"));
  CHECK(broken(late) == names{token});
}
