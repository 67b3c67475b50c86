#include <catch2/catch.hpp>
#include <convene/protocol/graph/graph_fold.hpp>
#include <convene/protocol/graph/graph_json.hpp>
#include <convene/protocol/graph/graph_update.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/runtime/log/event_log/reader.hpp>
#include <convene/runtime/rollback/rollback_record.hpp>
#include <convene/runtime/single_agent/flow.hpp>
#include <support/dice.hpp>
#include <unistd.h>

#include <fstream>
#include <mutex>
#include <vector>

using namespace convene;
using namespace convene::protocol;
using convene::test::dice;
namespace fs = std::filesystem;

namespace {

struct run_folder {
  fs::path path = fs::temp_directory_path()
                  / ("convene-rollback-" + std::to_string(::getpid()));

  run_folder() {
    fs::remove_all(path);
    fs::create_directories(path / "session");
  }
  ~run_folder() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
};

/// Some steps, each after some of those before; they write files, add steps or
/// fail.
void run_some_plan(const fs::path& at, std::uint32_t seed) {
  dice d{seed};
  json::array steps;
  std::vector<std::string> ids;
  const auto count = 1 + d.below(7);
  for (unsigned i = 0; i < count; ++i) {
    ids.push_back("550e8400-e29b-41d4-a716-44665544000" + std::to_string(i));
    json::array after;
    for (unsigned before = 0; before < i; ++before)
      if (d.chance(25))
        after.emplace_back(ids[before]);
    steps.push_back({{"step_id", ids.back()},
                     {"description", std::to_string(i)},
                     {"agent_role", "tool"},
                     {"dependencies", std::move(after)}});
  }
  const json::object scenario{
    {"plan", {{"title", "T"}, {"steps", std::move(steps)}}},
    {"compensations", {{"tool", {{"type", "echo"}}}}},
    {"session",
     {{"policy",
       d.chance(50) ? "single_agent_skip" : "single_agent_rollback"}}}};
  std::mutex mutex;
  const auto execute = [&](const turn_request& asked) {
    const std::lock_guard held{mutex};
    reply made{.content = "did " + asked.task};
    if (d.chance(15))
      made.status = reply_status::failed;
    else if (d.chance(60))
      made.writes.push_back({"file", asked.task + ".txt", 0, write_op::put,
                             json::value("by " + asked.task)});
    else if (d.chance(40))
      made.tasks.push_back({.title = "more", .role = "tool"});
    return made;
  };
  const auto done = run_single_agent_flow(
    {.scenario = scenario,
     .executors = {{"tool", execute}},
     .runtime = {.log = at / "session" / "events.jsonl"}});
  INFO((done.error ? to_string(*done.error) : ""));
  REQUIRE(done.output);
}

/// The lines of the run's log.
std::vector<json::object> events_of(const fs::path& run) {
  std::vector<json::object> all;
  REQUIRE(host::visit_log(run / "session" / "events.jsonl",
                          [&](const host::log_place&, std::string_view line) {
                            all.push_back(parse_json(line)->as_object());
                          }));
  return all;
}

/// The graph without the Trace, up to, and with, the event that says that a
/// step is completed, or that the plan began; nothing: all of it.
project_graph graph_until(const std::vector<json::object>& events,
                          std::string_view stage) {
  project_graph made;
  graph_fold fold{made};
  for (const auto& event : events) {
    if (text_of(event, "event_type") == "session_recorded")
      continue;
    REQUIRE(fold.feed(event));
    const auto& payload = object_of(event, "payload");
    const bool begins = text_of(event, "event_type") == "plan_status_changed"
                        && text_of(payload, "to_status") == "in_progress";
    const bool completes = text_of(event, "event_type") == "step_status_changed"
                           && text_of(payload, "to_status") == "completed"
                           && text_of(payload, "resource_id") == stage;
    if (stage == "start" ? begins : completes)
      break;
  }
  return made;
}

/// Does what an event says, as one that knows nothing but the event would.
void take(project_graph& to, const json::object& event) {
  const auto update
    = read_update({{"update_id", 1},
                   {"at", event.contains("timestamp") ? event.at("timestamp")
                                                      : "2026-01-01T00:00:00Z"},
                   {"update_kind", event.at("update_kind")},
                   {"node_delta", event.at("node_delta")},
                   {"edge_delta", event.at("edge_delta")},
                   {"changes", event.at("payload").at("changes")}});
  REQUIRE(update);
  REQUIRE(apply_changes(to, update->changes));
}

session::rollback back_to(const host::rollback_record& record,
                          const std::string& stage) {
  return {.compensation_id = "650e8400-e29b-41d4-a716-446655440000",
          .to = stage,
          .compensations
          = session::compensations_for(record.stages(), record.book().place(),
                                       *record.stages().place_of(stage)),
          .attempt = 1};
}

} // namespace

TEST_CASE("after a rollback to any stage the graph has the hash that it had "
          "there") {
  std::size_t stages = 0;
  std::size_t lost = 0;
  for (std::uint32_t seed = 1; seed <= 25; ++seed) {
    INFO("seed " << seed);
    const run_folder at;
    run_some_plan(at.path, seed);
    const auto events = events_of(at.path);
    const auto record = host::rollback_record::read(at.path);
    REQUIRE(record);
    std::vector<std::string> all{"start"};
    for (const auto& step : record->stages().completed())
      all.push_back(step.step_id);
    for (const auto& stage : all) {
      INFO("stage " << stage);
      const auto event = record->graph_rolled_back(back_to(*record, stage));
      REQUIRE(event);
      auto graph = graph_until(events, "");
      const auto before = graph;
      take(graph, *event);
      const auto snapshot = graph_until(events, stage);
      CHECK(graph_hash(graph) == graph_hash(snapshot));
      CHECK(text_of(object_of(*event, "payload"), "hash")
            == graph_hash(snapshot));
      const auto delta = [&](const char* name) {
        return integer_of(*event, name).value_or(7777);
      };
      CHECK(static_cast<std::int64_t>(before.nodes().size())
              + delta("node_delta")
            == static_cast<std::int64_t>(snapshot.nodes().size()));
      CHECK(static_cast<std::int64_t>(before.edges().size())
              + delta("edge_delta")
            == static_cast<std::int64_t>(snapshot.edges().size()));
      ++stages;
      lost += delta("node_delta") < 0 ? 1 : 0;
    }
  }
  CHECK(stages > 60);
  CHECK(lost > 20);
}

TEST_CASE("a record is read again as it was appended, and takes nothing that "
          "cannot follow") {
  const run_folder at;
  run_some_plan(at.path, 4);
  auto record = host::rollback_record::read(at.path);
  REQUIRE(record);
  REQUIRE_FALSE(record->stages().completed().empty());
  CHECK_FALSE(host::was_rolled_back(at.path));
  const auto what = back_to(*record, "start");
  const auto planned = session::rollback_planned(what, record->stages(),
                                                 record->book().place(),
                                                 "test");
  const auto refused = record->append({session::rollback_executed(what, 0)}, 0);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().rule == "rollback_order");
  REQUIRE(record->append({planned}, 0));
  const auto again = host::rollback_record::read(at.path);
  REQUIRE(again);
  REQUIRE(again->book().open() != nullptr);
  CHECK(again->book().open()->to == "start");
  CHECK(again->book().events() == 1);
  // Never before the run, whatever the clock says.
  CHECK(again->book().time() == record->stages().time());
}

TEST_CASE("a record that was only begun has nothing in it") {
  const run_folder at;
  run_some_plan(at.path, 4);
  std::ofstream{host::rollback_file_of(at.path)} << R"({"log_op)";
  auto record = host::rollback_record::read(at.path);
  REQUIRE(record);
  CHECK(record->book().events() == 0);
  REQUIRE(record->append(
    {session::rollback_planned(back_to(*record, "start"), record->stages(),
                               record->book().place(), "test")},
    0));
  CHECK(host::rollback_record::read(at.path)->book().events() == 1);
}

TEST_CASE("a record that is no log is an error, and is not taken for none") {
  const run_folder at;
  run_some_plan(at.path, 4);
  const auto* const bytes = GENERATE("garbage\n", "garbage",
                                     "{\"event_id\": \"1\"}\n");
  std::ofstream{host::rollback_file_of(at.path)} << bytes;
  CHECK_FALSE(host::rollback_record::read(at.path));
}
