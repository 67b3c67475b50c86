#include <catch2/catch.hpp>
#include <convene/modes/catalog.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/runtime/data/learning/session_samples.hpp>
#include <support/events.hpp>
#include <support/random_session.hpp>

#include <set>
#include <string>

using namespace convene;
using host::sample_consent;
using host::session_samples;
namespace json = boost::json;

namespace {

constexpr const char* plan_id = "de1b1471-320a-48ea-b7a7-88d106762832";

/// A session's beginning; `meta` of its Collab and its Plan.
std::string beginning(const std::string& collab, const std::string& plan,
                      const std::string& policy = "pair") {
  return R"({"event_id": "00000000-0000-4000-8000-000000000001",
    "event_type": "MAPSessionStarted", "timestamp": "2026-01-01T00:00:00.000Z",
    "session_id": "650e8400-e29b-41d4-a716-446655443002",
    "payload": {"mode": "pair", "purpose": "Work", "policy": ")"
         + policy + R"(", "spec": {"collab": {"meta": {)" + collab
         + R"(}}, "context": {"title": "A project"},
           "plan": {"meta": {)"
         + plan + R"(}, "plan_id": ")" + plan_id
         + R"(", "title": "Plan", "steps": [{}]}}}})";
}

session_samples fed(const std::string& line, host::sample_options how = {}) {
  session_samples made{how};
  made.feed(json::value(protocol::parse_json(line).value()).as_object());
  return made;
}

} // namespace

TEST_CASE("meta.cross_cutting says whether a session's samples are collected") {
  const std::string named = R"("cross_cutting": ["learning-feedback"])";
  const std::string other = R"("cross_cutting": ["security"])";
  const auto [collab, plan, by_default, if_named] = GENERATE_COPY(
    table<std::string, std::string, bool, bool>({{"", "", true, false},
                                                 {named, "", true, true},
                                                 {"", named, true, true},
                                                 {other, "", false, false},
                                                 {other, named, true, true}}));
  CAPTURE(collab, plan);
  const auto collects = [&](sample_consent how) {
    auto made = fed(beginning(collab, plan), {.consent = how});
    CHECK(made.is_opted_out() == made.take().empty());
    return !made.is_opted_out();
  };
  CHECK(collects(sample_consent::not_opted_out) == by_default);
  CHECK(collects(sample_consent::named) == if_named);
}

TEST_CASE("samples of a single agent's session name the agent's own events") {
  auto several = fed(beginning("", ""));
  auto single = fed(beginning("", "", "single_agent"));
  const auto of_session = several.take();
  const auto of_agent = single.take();
  REQUIRE_FALSE(of_agent.empty());
  CHECK(of_session.front().line.find("00000000-0000-4000-8000-000000000001")
        != std::string::npos);
  for (const auto& each : of_agent)
    CHECK(each.line.find("00000000-0000-4000-8000-000000000001")
          == std::string::npos);
}

TEST_CASE("a sample's numbers are written as people read them") {
  session_samples made;
  made.feed(
    R"({"event_id": "00000000-0000-4000-8000-000000000001", "event_type": "x", )"
    R"("event_family": "graph_update", "timestamp": "2026-01-01T00:00:00.000Z", )"
    R"("update_kind": "bulk", "node_delta": 9, "edge_delta": 0, "payload": {}})"
    "\n");
  const auto samples = made.take();
  REQUIRE(samples.size() == 1);
  CHECK(samples.front().line.find(R"("topology_change_score":1.0)")
        != std::string::npos);
}

TEST_CASE("what comes of events that are wrong is left out and told") {
  session_samples made;
  made.feed(
    R"({"event_id": "00000000-0000-4000-8000-000000000001", "event_type": "x", )"
    R"("event_family": "intent", "timestamp": "2026-01-01T00:00:00.000Z", )"
    R"("payload": {"raw_text": "Do it", "intent_id": " "}})"
    "\nno JSON\n");
  CHECK(made.take().empty());
  REQUIRE(made.fault());
  CHECK(made.fault()->rule == "learning_sample");
}

TEST_CASE("every random session gives valid samples, the same ones each time") {
  std::set<std::string> points;
  for (const auto* policy : modes::catalog())
    for (std::uint32_t seed = 1; seed <= 20; ++seed) {
      INFO(policy->name << ", seed " << seed);
      const auto run = test::run_random_session(*policy, seed, nullptr,
                                                seed % 2 == 0);
      session_samples by_line;
      session_samples whole;
      std::string text;
      for (const auto& line : run.lines) {
        by_line.feed(line + "\n");
        text += line + '\n';
      }
      whole.feed(text);
      const auto samples = by_line.take();
      INFO((by_line.fault() ? to_string(*by_line.fault()) : ""));
      CHECK_FALSE(by_line.fault());
      std::set<std::string> ids;
      for (const auto& each : samples) {
        ids.insert(each.id);
        const auto sample = protocol::parse_json(each.line).value();
        points.emplace(
          protocol::text_of(sample.at("meta").as_object(), "collection_point"));
      }
      CHECK(ids.size() == samples.size());
      const auto again = whole.take();
      REQUIRE(again.size() == samples.size());
      for (std::size_t n = 0; n < again.size(); ++n)
        CHECK(again[n].line == samples[n].line);
    }
  for (const auto* each :
       {"intent_resolution", "plan_generation", "execution_completion",
        "pipeline_failure", "user_feedback", "map_session_completion"}) {
    INFO(each);
    CHECK(points.contains(each));
  }
}
