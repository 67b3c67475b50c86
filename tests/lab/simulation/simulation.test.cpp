#include "one_run.hpp"

#include <convene/lab/simulation/property_program.hpp>
#include <convene/lab/simulation/simulation.hpp>
#include <convene/lab/simulation/simulation_summary.hpp>
#include <runtime/log/event_log/files.hpp>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <memory>

using namespace convene;
using convene::tests::one_run;
using convene::tests::scenario_of;
using convene::tests::scratch_folder;
using convene::tests::write_bytes;

namespace {

std::vector<host::seed_outcome> all_of(const host::simulation& what) {
  const std::atomic<bool> stop = false;
  auto made = host::simulate(what, stop);
  REQUIRE(made);
  return *std::move(made);
}

bool has(const std::vector<std::string>& all, std::string_view one) {
  return std::ranges::find(all, one) != all.end();
}

} // namespace

TEST_CASE("a seed is the same on any thread and beside any other seeds") {
  const auto alone = all_of({.first = 7, .last = 7, .scenario = scenario_of});
  REQUIRE(alone.size() == 1);
  CHECK(alone[0].has_ended);
  CHECK_FALSE(alone[0].has_failed());
  const host::simulation several{
    .first = 1, .last = 12, .threads = 4, .scenario = scenario_of};
  const auto many = all_of(several);
  REQUIRE(many.size() == 12);
  CHECK(many[6].seed == 7);
  CHECK(many[6].digest == alone[0].digest);
  CHECK(many[5].digest != alone[0].digest);
  CHECK(host::summarise(several, many)
        == host::summarise(several, all_of(several)));
}

TEST_CASE("what is changed in a seed's log is found by each of its checks") {
  one_run one;
  CHECK(one.rules_with("by ann", "by ann").empty());
  // The replay derives it from the reply, the workspace from the write.
  const auto value = one.rules_with(R"("op":"put","value":"by ann")",
                                    R"("op":"put","value":"by bob")");
  CHECK(has(value, "recomputed"));
  CHECK(has(value, "workspace_matches_log"));
  CHECK(has(one.rules_with(R"("turn_number":2)", R"("turn_number":9)"),
            "turn_numbers_contiguous"));
  CHECK(has(one.rules_with("{", "["), "json"));
}

TEST_CASE("a session is measured by its events and its result") {
  const one_run one;
  host::seed_findings found;
  host::seed_meter meter;
  host::check_seed(one.log, *one.ended, found,
                   [&](std::size_t, const auto& event, std::string_view) {
                     meter.feed(event.as_object());
                   });
  const auto measured = meter.finish(*one.ended);
  CHECK(measured.turns == 6);
  CHECK(measured.duration_ms == one.ended->duration_ms);
  // ann answers at once, so bob waits for nobody, and ann for bob's answers:
  // all but his last one, in her second and third turn.
  CHECK(measured.token_wait_max_ms > 0);
  CHECK(measured.token_wait_max_ms <= 900);
  CHECK(measured.token_wait_ms < measured.token_wait_max_ms);
  CHECK(measured.token_wait_ms <= measured.duration_ms / measured.turns);
  // Her later writes do not know of her first one.
  CHECK(measured.conflicts == one.ended->conflicts);
  CHECK(measured.steps == 0);
}

TEST_CASE("what was retried, failed, waited for and overwritten is counted") {
  host::seed_meter meter;
  const auto feed = [&meter](std::string_view type, std::string_view second,
                             const std::string& payload) {
    const auto event = protocol::parse_json(
      R"({"event_type":")" + std::string{type}
      + R"(","timestamp":"2026-01-01T00:00:0)" + std::string{second}
      + R"(.000Z","payload":)" + payload + "}");
    REQUIRE(event);
    meter.feed(event->as_object());
  };
  feed("MAPSessionStarted", "0", "{}");
  feed("MAPTurnDispatched", "1", R"({"participant_id":"a"})");
  feed("MAPTurnCompleted", "2", R"({"participant_id":"a","status":"failed"})");
  feed("MAPTurnDispatched", "6", R"({"participant_id":"b"})");
  feed("MAPTurnDispatched", "7", R"({"participant_id":"a","attempt":2})");
  feed("MAPTurnCompleted", "8",
       R"({"participant_id":"a","status":"completed"})");
  feed("MAPTurnCompleted", "9",
       R"({"participant_id":"b","status":"handed_off"})");
  feed("MAPConflictResolved", "9", R"({"overridden_versions":[3,4]})");
  protocol::plan plan;
  plan.steps.resize(3);
  plan.steps[0].status = protocol::step_status::completed;
  plan.steps[1].status = protocol::step_status::skipped;
  const auto measured
    = meter.finish({.usage = {.prompt_tokens = 5, .completion_tokens = 2},
                    .plan = std::make_shared<const protocol::plan>(plan)});
  CHECK(measured
        == host::seed_measures{.token_wait_ms = (1000 + 6000 + 5000) / 3,
                               .token_wait_max_ms = 6000,
                               .failed_turns = 1,
                               .rework = 3,
                               .tokens = 7,
                               .steps = 3,
                               .steps_open = 1});
}

TEST_CASE("a seed that cannot be run fails, and the others do not") {
  const auto all = all_of(
    {.first = 1, .last = 4, .threads = 2, .scenario = [](std::uint64_t seed) {
       if (seed != 3)
         return scenario_of(seed);
       return result<host::seeded_scenario>{
         protocol::fail(protocol::errc::unreadable, "it is gone", "gone")};
     }});
  REQUIRE(all.size() == 4);
  CHECK(all[1].findings.total == 0);
  REQUIRE(all[2].findings.total == 1);
  CHECK(all[2].findings.first[0].rule == "gone");
  CHECK_FALSE(all[2].has_ended);
  const auto summary = host::summarise({.first = 1, .last = 4}, all);
  CHECK(summary.at("failed") == 1);
  CHECK(summary.at("completed") == 3);
  CHECK(summary.at("failures").at(0).at("seed") == 3);
}

TEST_CASE("of many failed seeds the first 100 keep their findings") {
  const host::simulation what{
    .first = 1, .last = 130, .threads = 4, .scenario = [](std::uint64_t) {
      return result<host::seeded_scenario>{
        protocol::fail(protocol::errc::unreadable, "it is gone", "gone")};
    }};
  const auto all = all_of(what);
  REQUIRE(all.size() == 130);
  CHECK(all[99].findings.first.size() == 1);
  CHECK(all[100].findings.first.empty());
  CHECK(all[100].has_failed());
  const auto summary = host::summarise(what, all);
  CHECK(summary.at("failed") == 130);
  CHECK(summary.at("failures").at(99).at("findings").at(0).at("rule")
        == "gone");
}

TEST_CASE("a seed may log so much and no more") {
  const auto all
    = all_of({.log_bytes_max = std::size_t{4} << 10, .scenario = scenario_of});
  REQUIRE(all.at(0).findings.total == 1);
  CHECK(all[0].findings.first[0].rule == host::seed_log_bytes_max);
}

TEST_CASE("once it is to stop, what has not ended is left out") {
  std::atomic<bool> stop = false;
  const auto made = host::simulate(
    {.first = 1,
     .last = 1'000'000,
     .scenario = scenario_of,
     .on_progress = [&stop](std::size_t done,
                            std::size_t) { stop = done == 3; }},
    stop);
  REQUIRE(made);
  CHECK(made->size() == 3);
}

TEST_CASE("a seed whose program was interrupted is left out, not judged") {
  const scratch_folder folder;
  const auto path = folder / "judge";
  write_bytes(path, "#!/bin/sh\necho begun >&2\nexec sleep 60\n");
  std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  const auto judge = host::find_property_program(path.string());
  REQUIRE(judge);
  std::atomic<bool> stop = false;
  const auto made
    = host::simulate({.scenario = scenario_of,
                      .properties = {*judge},
                      .programs = std::make_shared<host::property_programs>(
                        [&stop](std::string_view) { stop = true; })},
                     stop);
  REQUIRE(made);
  CHECK(made->empty());
}
