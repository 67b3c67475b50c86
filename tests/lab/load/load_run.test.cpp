#include <boost/json/serialize.hpp>
#include <catch2/catch.hpp>
#include <convene/lab/load/load_run.hpp>
#include <convene/lab/load/load_summary.hpp>
#include <convene/runtime/data/scenario/scenario.hpp>
#include <unistd.h>

#include <filesystem>
#include <fstream>

using namespace convene;
using namespace convene::host;
using namespace std::chrono_literals;

namespace {

load_kind kind(const load_shape& shape) {
  auto made = kind_of(shape);
  INFO((made ? "" : to_string(made.error())));
  REQUIRE(made);
  return *std::move(made);
}

/// A handful of sessions of this shape, which start at once, however slow the
/// machine is: the load is over when they are.
load_plan handful(const load_shape& shape) {
  load_plan what;
  what.stages = {{60s, {}}};
  what.ends_with_last = true;
  what.starts.assign(5, load_time{});
  what.kinds = {kind(shape)};
  what.cycle = {0};
  what.drain = 30s;
  what.runtime.threads = 1;
  return what;
}

load_outcome outcome_of(const load_plan& what) {
  const std::atomic<bool> stop = false;
  auto made = run_load(what, stop);
  INFO((made ? "" : to_string(made.error())));
  REQUIRE(made);
  return *std::move(made);
}

std::uint64_t timed(const load_outcome& of, load_measure what) {
  return of.total->of(what).count();
}

} // namespace

TEST_CASE("sessions of every mode can be a load, with as many turns as they "
          "are expected to have") {
  for (const auto how : {mode::broadcast, mode::round_robin, mode::orchestrated,
                         mode::swarm, mode::pair}) {
    const auto what = handful({.mode = how, .participants = 3, .rounds = 2});
    const auto outcome = outcome_of(what);
    CAPTURE(what.kinds[0].name);
    CHECK(what.kinds[0].turns == (how == mode::pair ? 4 : 6));
    CHECK(outcome.session_errors.empty());
    CHECK(outcome.unfinished == 0);
    CHECK(timed(outcome, load_measure::session) == 5);
    CHECK(timed(outcome, load_measure::start) == 5);
    CHECK(timed(outcome, load_measure::end) == 5);
    CHECK(timed(outcome, load_measure::lag) == 5);
    CHECK(timed(outcome, load_measure::turn)
          == static_cast<std::uint64_t>(5 * what.kinds[0].turns));
    CHECK(timed(outcome, load_measure::log) == 0);
    CHECK(timed(outcome, load_measure::conflict) == 0);
  }
}

TEST_CASE("those who write one resource at the same time have conflicts") {
  load_shape shape{.mode = mode::broadcast, .participants = 4, .writes = 1};
  shape.contention = 4;
  const auto contended = outcome_of(handful(shape));
  CHECK(timed(contended, load_measure::conflict) > 0);
  shape.contention = 1;
  CHECK(timed(outcome_of(handful(shape)), load_measure::conflict) == 0);
}

TEST_CASE("one who never answers is a failed turn, not a failed session") {
  load_shape shape{.participants = 3, .rounds = 1, .hanging = 1};
  for (std::int64_t timeout_ms = 1'500;; timeout_ms *= 2) {
    shape.turn_timeout_ms = timeout_ms;
    auto what = handful(shape);
    what.ends_with_last = false;
    what.starts = {0ms, 0ms};
    // It ends early, by the second look; the failed turns are counted by then.
    std::atomic<bool> stop = false;
    what.on_progress = [&](load_time, const load_figures& all) {
      stop = all.of(load_tally::completed) + all.of(load_tally::cancelled) == 2;
    };
    const auto outcome = run_load(what, stop);
    REQUIRE(outcome);
    const auto late = outcome->turn_errors.find("timed_out");
    // Those who answer were late, too: more time.
    if (late != outcome->turn_errors.end() && late->second > 2)
      continue;
    CHECK(outcome->session_errors.empty());
    CHECK(outcome->turn_errors == reason_counts{{"timed_out", 2}});
    CHECK(outcome->course.interrupted);
    return;
  }
}

TEST_CASE("with a log, waiting for it is measured") {
  const auto folder = std::filesystem::temp_directory_path()
                      / ("convene-load-" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  auto what = handful({.participants = 2, .rounds = 1});
  what.runtime.log = folder;
  const auto outcome = outcome_of(what);
  CHECK(timed(outcome, load_measure::log) == 5);
  CHECK(std::filesystem::file_size(folder / "000001.jsonl") > 0);
  std::filesystem::remove_all(folder);
}

TEST_CASE("a session that cannot start is an error by its rule") {
  auto what = handful({});
  what.make = [&what](const load_order& order) {
    auto scenario = another(what.kinds[0].scenario, order.number);
    if (order.number != 2)
      scenario.options.policy = "nobody_knows";
    return made_session{.scenario = std::move(scenario), .functions = {}};
  };
  const auto outcome = outcome_of(what);
  REQUIRE(outcome.session_errors.size() == 1);
  CHECK(outcome.session_errors.begin()->second == 4);
  CHECK(*outcome.rates.errors == Approx(0.8));
}

TEST_CASE("a summary has all that was measured, and is its own baseline") {
  auto what = handful({.participants = 2, .rounds = 1});
  what.assertions = {load_assertion::parse("errors<=0%").value(),
                     load_assertion::parse("p99<1ns").value()};
  auto outcome = outcome_of(what);
  // As if the generator had been in time.
  auto& lag = outcome.total->times[static_cast<std::size_t>(load_measure::lag)];
  lag = {};
  const boost::json::object load{{"rounds", 1}, {"writes", 0.0}};
  auto summary = summarise(load, what, outcome);
  CHECK(summary.at("valid") == true);
  CHECK(summary.at("good") == false);
  CHECK(summary.at("assertions").at(0).at("holds") == true);
  CHECK(summary.at("assertions").at(1).at("holds") == false);
  CHECK(summary.at("latency").at("session").at("count") == 5);
  CHECK(summary.at("latency").at("log").at("p99_ms").is_null());
  CHECK(summary.at("memory").at("bytes_per_session").is_null());
  CHECK(summary.at("modes").at(0).at("mode") == "round_robin");

  what.assertions.pop_back();
  summary = summarise(load, what, outcome);
  CHECK(summary.at("good") == true);
  const auto file = std::filesystem::temp_directory_path()
                    / ("convene-baseline-" + std::to_string(::getpid()));
  std::ofstream{file} << boost::json::serialize(summary);
  const auto earlier = read_baseline(file, load);
  REQUIRE(earlier);
  compare_with_baseline(summary, *earlier, 0.1);
  CHECK(summary.at("good") == true);
  CHECK(summary.at("baseline").at("worse").as_array().empty());
  auto& times = summary.at("latency").at("turn").as_object();
  times["p99_ms"] = times.at("p99_ms").to_number<double>() * 1.2;
  compare_with_baseline(summary, *earlier, 0.1);
  CHECK(summary.at("good") == false);
  CHECK(summary.at("baseline").at("worse").at(0).at("figure") == "turn.p99");

  CHECK(read_baseline(file, {{"rounds", 2}, {"writes", 0.0}}).error().rule
        == "baseline_differs");
  CHECK(read_baseline(file, {{"rounds", 1}}).error().rule
        == "baseline_differs");
  std::ofstream{file} << R"({"seeds": 5})";
  CHECK(read_baseline(file, load).error().rule == "baseline_invalid");
  std::filesystem::remove(file);
}

TEST_CASE("a generator that was late by more than a tenth of what it measured "
          "makes a load invalid") {
  load_outcome outcome;
  outcome.total = std::make_unique<load_figures>();
  auto& times = outcome.total->times;
  times[static_cast<std::size_t>(load_measure::session)].record(1'000'000);
  CHECK_FALSE(outcome.generator_was_late());
  times[static_cast<std::size_t>(load_measure::lag)].record(90'000);
  CHECK_FALSE(outcome.generator_was_late());
  outcome.course.left_some_out = true;
  CHECK(outcome.generator_was_late());
  outcome.course.left_some_out = false;
  times[static_cast<std::size_t>(load_measure::lag)].record(110'000);
  CHECK(outcome.generator_was_late());
}
