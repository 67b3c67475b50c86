#include <catch2/catch.hpp>
#include <convene/modes/catalog.hpp>
#include <convene/protocol/embedded_schemas/registry.hpp>
#include <convene/protocol/events/schema_guess.hpp>
#include <convene/protocol/invariants/check.hpp>
#include <convene/protocol/invariants/session_rules.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/protocol/json_schema/validate.hpp>
#include <support/random_session.hpp>
#include <support/rig.hpp>

#include <array>
#include <map>
#include <set>

using namespace convene;
using namespace convene::test;
namespace json = boost::json;

namespace {

constexpr std::uint32_t seeds = 200;

/// The violations by the schema, a line each.
std::string violations(const protocol::compiled_schema& schema,
                       const json::value& document) {
  std::string all;
  for (const auto& found : protocol::validate(schema, document).violations)
    all += found.text + '\n';
  return all;
}

protocol::compiled_schema schema_of(std::string_view name) {
  auto made = protocol::embedded_schema(name);
  if (!made)
    throw std::runtime_error{to_string(made.error())};
  return *made;
}

/// What an event shows that something happened: its type, what input it is,
/// how a turn ended, what kind of conflict it was.
void note(const event& e, std::set<std::string>& seen) {
  seen.insert(e.type);
  for (auto member : {"input", "status", "conflict_type"})
    if (const auto what = e.at(member); !what.empty())
      seen.insert(e.type + ' ' + what);
  if (e.type == "MAPSessionStarted")
    seen.insert("mode " + e.at("mode"));
}

protocol::rule_set observability_rules() {
  static constexpr std::array<std::string_view, 1> sets{"observability"};
  const auto& all = protocol::embedded_invariants();
  REQUIRE(all);
  auto made = all->select(sets);
  REQUIRE(made);
  return *std::move(made);
}

/// In every other session, participants act outside.
bool acts(std::uint32_t seed) {
  return seed % 2 == 0;
}

} // namespace

TEST_CASE("every event of every session is valid by the event schema") {
  const auto schema = schema_of("convene-native-event");
  const auto scenario = schema_of("convene-scenario");
  std::set<std::string> seen;
  for (const auto* policy : modes::catalog())
    for (std::uint32_t seed = 1; seed <= seeds; ++seed) {
      const auto log = run_random_session(*policy, seed, nullptr, acts(seed));
      for (const auto& line : log.lines) {
        const auto e = parse_event(line);
        note(e, seen);
        const auto wrong = violations(schema, e.whole);
        if (wrong.empty())
          continue;
        INFO(policy->name << ", seed " << seed << '\n'
                          << line << '\n'
                          << wrong);
        FAIL("an event is not valid");
      }
      INFO(policy->name << ", seed " << seed);
      const auto start = parse_event(log.lines.front());
      CAPTURE(violations(scenario, start.payload.at("spec")));
      CHECK(violations(scenario, start.payload.at("spec")).empty());
    }
  // The sessions were of all kinds, or the above says little.
  for (const std::string what : {"mode broadcast",
                                 "mode round_robin",
                                 "mode orchestrated",
                                 "mode pair",
                                 "mode swarm",
                                 "MAPTurnCompleted completed",
                                 "MAPTurnCompleted failed",
                                 "MAPTurnCompleted timed_out",
                                 "MAPTurnCompleted declined",
                                 "MAPTurnCompleted cancelled",
                                 "MAPBroadcastReceived timed_out",
                                 "MAPBroadcastReceived declined",
                                 "MAPConflictDetected",
                                 "MAPConflictResolved",
                                 "session_input decision",
                                 "session_input decision_timed_out",
                                 "session_input participant_down",
                                 "session_input participant_up",
                                 "session_input suspend",
                                 "session_input resume",
                                 "session_input cancel",
                                 "session_input forked",
                                 "plan_created",
                                 "step_added",
                                 "plan_status_changed",
                                 "step_status_changed",
                                 "MAPSessionCompleted completed",
                                 "MAPSessionCompleted cancelled"}) {
    INFO(what);
    CHECK(seen.contains(what));
  }
}

TEST_CASE("every core event of every session is one of the protocol's") {
  std::map<std::string, protocol::compiled_schema, std::less<>> schemas;
  for (const auto* family :
       {"graph_update", "pipeline_stage", "runtime_execution", "cost_budget",
        "reasoning_graph"})
    schemas.emplace(family, schema_of(protocol::schema_of_family(family)));
  const auto rules = observability_rules();
  const protocol::related_documents alone{rules};
  std::set<std::string> seen;
  for (const auto* policy : modes::catalog())
    for (std::uint32_t seed = 1; seed <= seeds; ++seed)
      for (const auto& line :
           run_random_session(*policy, seed, nullptr, acts(seed)).lines) {
        const auto e = parse_event(line);
        const auto known
          = schemas.find(protocol::text_of(e.whole, "event_family"));
        if (known == schemas.end())
          continue;
        seen.insert(e.type);
        if (const auto wrong = violations(known->second, e.whole);
            !wrong.empty()) {
          INFO(policy->name << ", seed " << seed << '\n' << line);
          FAIL_CHECK(wrong);
        }
        const auto kept = check_rules(rules, protocol::invariant_scope::event,
                                      json::value(e.whole), alone);
        if (!kept.broken.empty() || kept.checked < 4) {
          INFO(policy->name << ", seed " << seed << '\n' << line);
          FAIL_CHECK("a rule of observability is broken, or none applies");
        }
      }
  for (const std::string what :
       {"resource_written", "workspace_opened", "write_refused", "claim_taken",
        "claim_released", "claim_handed_over", "claim_refused", "plan_created",
        "action_started", "action_ended", "usage_recorded", "budget_exceeded",
        "coordination_reasoning", "step_added", "step_status_changed",
        "session_input"}) {
    INFO(what);
    CHECK(seen.contains(what));
  }
}

TEST_CASE("an event that lacks a member or has an unknown one is not valid") {
  const auto schema = schema_of("convene-native-event");
  std::set<std::string> types;
  for (const auto* policy : modes::catalog())
    for (std::uint32_t seed = 1; seed <= 20; ++seed)
      for (const auto& line :
           run_random_session(*policy, seed, nullptr, acts(seed)).lines) {
        const auto e = parse_event(line);
        if (!types.insert(e.type).second)
          continue;
        INFO(line);
        for (auto member : {"event_id", "event_type", "event_family",
                            "session_id", "timestamp", "payload"}) {
          auto without = e.whole;
          without.erase(member);
          CHECK_FALSE(violations(schema, without).empty());
        }
        auto more = e.whole;
        more["unknown"] = 1;
        CHECK_FALSE(violations(schema, more).empty());
        more = e.whole;
        more["payload"].as_object()["unknown"] = 1;
        CHECK_FALSE(violations(schema, more).empty());
      }
  CHECK(types.size() >= 15);
}

TEST_CASE("every session of every mode keeps the rules for sessions") {
  const auto& rules = protocol::embedded_invariants();
  REQUIRE(rules);
  for (const auto* policy : modes::catalog())
    for (std::uint32_t seed = 1; seed <= seeds; ++seed) {
      protocol::session_rules sessions{*rules};
      std::string broken;
      const protocol::session_rule_visitor note
        = [&](const protocol::broken_session_rule& what) {
            broken += what.rule->id + ": " + what.message + '\n';
          };
      const auto log = run_random_session(*policy, seed, nullptr, acts(seed));
      for (const auto& line : log.lines)
        REQUIRE(sessions.feed(1, parse_event(line).whole, note));
      sessions.finish(note);
      INFO(policy->name << " " << seed);
      CHECK(broken.empty());
    }
}
