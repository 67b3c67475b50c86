#include "otlp_rules.hpp"

#include <boost/json/serialize.hpp>
#include <catch2/catch.hpp>
#include <convene/modes/catalog.hpp>
#include <convene/protocol/otlp/export_request.hpp>
#include <convene/protocol/otlp/session_spans.hpp>
#include <support/dice.hpp>
#include <support/events.hpp>
#include <support/random_session.hpp>

#include <set>
#include <utility>

using namespace convene;
using convene::test::otlp_rules;
using convene::test::run_random_session;
using convene::test::texts;
namespace json = boost::json;

namespace {

json::value exported(const std::vector<json::object>& events,
                     const std::string& id) {
  protocol::session_spans made{id};
  for (const auto& each : events)
    REQUIRE(made.add(each));
  return protocol::export_request(std::move(made).take(), "1");
}

std::vector<json::object> parsed(const std::vector<std::string>& lines) {
  std::vector<json::object> events;
  events.reserve(lines.size());
  for (const auto& line : lines)
    events.push_back(test::parse_event(line).whole);
  return events;
}

/// Breaks a member, or one in it: it goes, or becomes of another type.
void damage(json::object& from,
            test::dice& random) { // NOLINT(misc-no-recursion)
  if (from.empty())
    return;
  auto* member = from.begin() + random.below(from.size());
  if (member->value().is_object() && random.below(3) != 0)
    return damage(member->value().get_object(), random);
  const auto name = std::string{member->key()};
  switch (random.below(6)) {
    case 0:
      from.erase(name);
      break;
    case 1:
      from[name] = json::array{1, "x", nullptr, json::object{}};
      break;
    case 2:
      from[name] = "";
      break;
    case 3:
      from[name] = -9'223'372'036'854'775'807;
      break;
    case 4:
      from[name] = json::object{{name, 1.5}};
      break;
    default:
      from[name] = nullptr;
  }
}

} // namespace

TEST_CASE("any session's log gives a trace by the rules, with each turn once") {
  std::size_t actions = 0;
  for (const auto* policy : modes::catalog())
    for (std::uint32_t seed = 1; seed <= 40; ++seed) {
      INFO(policy->name << ", seed " << seed);
      const auto events = parsed(
        run_random_session(*policy, seed, nullptr, seed % 2 == 0).lines);
      std::multiset<std::string> turns;
      std::size_t attempts = 0;
      std::size_t answers = 0;
      for (const auto& each : events) {
        const auto type = protocol::text_of(each, "event_type");
        const auto& payload = protocol::object_of(each, "payload");
        if (type == "MAPTurnDispatched")
          turns.insert(std::to_string(
            protocol::integer_of(payload, "turn_number").value_or(0)));
        attempts += type == "action_started" ? 1 : 0;
        answers += type == "MAPBroadcastReceived" ? 1 : 0;
      }
      const auto id
        = std::string{protocol::text_of(events.front(), "session_id")};
      const auto made = exported(events, id);
      CHECK(otlp_rules::broken(made) == texts{});
      std::multiset<std::string> shown;
      for (const auto& each : otlp_rules::spans(made)) {
        const auto operation = otlp_rules::attribute(each, "mplp.operation");
        if (operation == "turn")
          shown.insert(otlp_rules::attribute(each, "mplp.turn_number"));
        if (operation == "action")
          --attempts;
        if (operation == "broadcast")
          --answers;
        if (operation != "question" && operation != "action")
          CHECK(otlp_rules::attribute(each, "mplp.unfinished").empty());
        actions += operation == "action" ? 1 : 0;
      }
      CHECK(shown == turns);
      CHECK(attempts == 0);
      CHECK(answers == 0);
      CHECK(exported(events, id) == made);
    }
  CHECK(actions > 100);
}

TEST_CASE("a log in which anything is missing or of another type gives a trace "
          "by the rules, or none") {
  for (const auto* policy : modes::catalog())
    for (std::uint32_t seed = 1; seed <= 40; ++seed) {
      INFO(policy->name << ", seed " << seed);
      test::dice random{seed};
      auto events = parsed(
        run_random_session(*policy, seed, nullptr, seed % 2 == 0).lines);
      for (auto& each : events)
        while (random.below(2) == 0)
          damage(each, random);
      // Its first part may have been removed, and there may be other orders.
      if (random.below(2) == 0)
        events.erase(events.begin());
      if (events.size() > 2)
        std::swap(events.front(), events[events.size() / 2]);
      protocol::session_spans made{random.below(2) == 0 ? "" : "no uuid"};
      for (const auto& each : events)
        REQUIRE(made.add(each));
      const auto trace = std::move(made).take();
      if (trace.spans.empty())
        continue;
      const auto request = protocol::export_request(trace, "");
      INFO(json::serialize(request));
      CHECK(otlp_rules::broken(request) == texts{});
    }
}
