#include "three_steps.hpp"

#include <sstream>

using namespace convene::tests;
using Catch::Contains;

TEST_CASE("rollback: check finds events that say something else") {
  const three_steps at;
  REQUIRE(at.ran().code == 0);
  REQUIRE(at.rolled_back().code == 0);
  // Without the groups' checksums, which would find any edit first.
  std::vector<std::string> lines;
  for (const auto& event : at.events())
    lines.push_back(json::serialize(event));
  REQUIRE(lines.size() == 6);
  std::string rule;
  const auto replaced = [&](std::size_t line, const std::string& from,
                            const std::string& to) {
    const auto found = lines[line].find(from);
    REQUIRE(found != std::string::npos);
    lines[line].replace(found, from.size(), to);
  };
  SECTION("a step is planned first that was completed first") {
    replaced(0, step_id(3), step_id(1));
    rule = "rollback_steps";
  }
  SECTION("a compensation is told twice") {
    lines[2] = lines[1];
    rule = "compensation_once";
  }
  SECTION("compensations are told in another order") {
    std::swap(lines[1], lines[2]);
    rule = "rollback_order";
  }
  SECTION("a compensation failed") {
    replaced(3, R"("completed")", R"("failed")");
    rule = "rollback_outcome";
  }
  SECTION("the graph lost more") {
    replaced(4, R"("node_delta":-3)", R"("node_delta":-4)");
    rule = "rollback_graph";
  }
  SECTION("it is executed before it is planned") {
    lines.erase(lines.begin());
    rule = "rollback_order";
  }
  SECTION("it is executed without the graph") {
    lines.erase(lines.begin() + 4);
    rule = "rollback_order";
  }
  SECTION("an event is none by its schema") {
    replaced(5, R"("event_id":")", R"("event_id":"x)");
    rule = "event_schema";
  }
  SECTION("it does not end") {
    lines.pop_back();
    rule = "rollback_unfinished";
  }
  at.write_record(lines);
  const auto checked = run({"check", at.out});
  INFO(checked.out);
  CHECK(checked.code == 1);
  CHECK_THAT(checked.out, Contains(rule));
}

TEST_CASE("rollback: check compares each member of each event") {
  three_steps at;
  const auto fixed = (at.folder / "fixed").string();
  at.undoes("b", "[ -e " + fixed + " ] || exit 7; " + at.note("undo-b"));
  REQUIRE(at.ran().code == 0);
  REQUIRE(at.rolled_back().code == 1);
  write_bytes(fixed, "");
  REQUIRE(at.rolled_back().code == 0);
  at.check_good();
  const auto good = at.events();
  REQUIRE(good.size() == 9);
  struct edit {
    std::size_t event;
    const char* path; ///< of members and, as digits, items
    json::value to;
    const char* rule = "rollback_event";
  };
  const std::vector<edit> edits{
    {0, "event_id", good[1].at("event_id")},
    {0, "timestamp", "2020-01-01T00:00:00.000Z"},
    {0, "event_family", "graph_update"},
    {0, "payload extra", 1},
    {0, "payload sa_id", json::string{step_id(1)}},
    {0, "payload reason", "because"},
    {0, "payload compensation_id", json::string{step_id(1)}},
    {0, "payload attempt", "rollback/0007"},
    {0, "payload without_compensation", json::array{json::string{step_id(1)}}},
    {0, "payload may_have_happened", json::array{json::string{step_id(1)}}},
    {0, "payload steps 0 agent_role", "b"},
    {0, "payload steps 0 description", "do b"},
    {0, "payload steps 0 status", "completed"},
    {1, "payload attempt", "rollback/0002", "rollback_outcome"},
    {2, "payload error_code", "other", "rollback_outcome"},
    {2, "payload error_message", "other", "rollback_outcome"},
    {2, "timestamp", "2020-01-01T00:00:00.000Z"},
    {3, "payload to", json::string{step_id(1)}},
    {3, "payload steps 0 status", "pending"},
    {4, "payload attempt", "rollback/0001"},
    {4, "payload settled", json::array{json::string{step_id(2)}}},
    {7, "payload hash", "00", "rollback_graph"},
    {7, "graph_id", json::string{step_id(1)}, "rollback_graph"},
    {8, "payload to", json::string{step_id(1)}},
    {8, "payload steps 0 status", "failed"},
    {8, "payload files_restored", -5},
    {8, "event_id", good[7].at("event_id")}};
  for (const auto& each : edits) {
    INFO("event " << each.event << ", " << each.path);
    auto events = good;
    json::value whole = events[each.event];
    auto* place = &whole;
    std::istringstream path{each.path};
    for (std::string part; path >> part;)
      place = place->is_array() ? &place->as_array().at(std::stoul(part))
                                : &place->as_object()[part];
    *place = each.to;
    events[each.event] = whole.as_object();
    std::vector<std::string> lines;
    for (const auto& event : events)
      lines.push_back(json::serialize(event));
    at.write_record(lines);
    const auto checked = run({"check", at.out});
    CHECK(checked.code == 1);
    CHECK_THAT(checked.out, Contains(each.rule));
  }
}

TEST_CASE("rollback: a record that is no log is found, and nothing is rolled "
          "back by it") {
  const three_steps at;
  REQUIRE(at.ran().code == 0);
  write_bytes(at.out + "/rollback.jsonl", "garbage\n");
  const auto checked = run({"check", at.out});
  CHECK(checked.code == 1);
  CHECK_THAT(checked.out, Contains("not_a_log"));
  CHECK(at.rolled_back().code != 0);
  CHECK(read_bytes(at.out + "/rollback.jsonl") == "garbage\n");
  CHECK(at.done() == "a b c ");
}
