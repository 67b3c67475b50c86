#include "one_run.hpp"

#include <convene/lab/simulation/fault_summary.hpp>
#include <convene/lab/simulation/judge_seed.hpp>
#include <convene/lab/simulation/simulation_summary.hpp>

#include <algorithm>
#include <atomic>
#include <optional>

using namespace convene;
using convene::tests::scenario_of;
using host::fault_kind;
using host::fault_spec;

namespace {

const std::atomic<bool> not_stopped = false;

std::vector<host::seed_outcome> outcomes_of(const host::simulation& what) {
  auto made = host::simulate(what, not_stopped);
  REQUIRE(made);
  return *std::move(made);
}

host::judged_seed judged(std::uint64_t seed, std::optional<fault_spec> faults) {
  const auto scenario = scenario_of(seed);
  REQUIRE(scenario);
  auto made = host::judge_seed({.faults = std::move(faults)}, *scenario, seed,
                               not_stopped);
  REQUIRE(made);
  return *std::move(made);
}

fault_spec at_rate(double rate) {
  fault_spec what{.rates = host::fault_rates{}};
  what.rates->of.fill(rate);
  return what;
}

} // namespace

TEST_CASE("without a fault a seed under faults is the seed without them") {
  const auto plain = judged(5, std::nullopt);
  const auto faulty = judged(5, at_rate(0));
  CHECK(faulty.log.text == plain.log.text);
  CHECK_FALSE(faulty.outcome.has_failed());
  CHECK(faulty.outcome.measures == plain.outcome.measures);
  CHECK(faulty.log.file.find("log_group") != std::string::npos);
}

TEST_CASE("a seed under faults is the same on any thread, and by its script") {
  host::simulation several{.first = 1,
                           .last = 24,
                           .threads = 4,
                           .scenario = scenario_of,
                           .faults = at_rate(0.05)};
  const auto many = outcomes_of(several);
  several.threads = 1;
  CHECK(host::summarise(several, many)
        == host::summarise(several, outcomes_of(several)));
  for (const auto& one : many) {
    CAPTURE(one.seed);
    for (const auto& found : one.findings.first)
      FAIL_CHECK(found.rule << ": " << found.message);
    const auto drawn = judged(one.seed, at_rate(0.05));
    CHECK(drawn.outcome.digest == one.digest);
    const auto again = judged(one.seed, fault_spec{.script = drawn.script});
    CHECK(again.log.text == drawn.log.text);
    CHECK(again.log.file == drawn.log.file);
    CHECK(again.script == drawn.script);
  }
}

TEST_CASE("each kind of fault strikes where it is asked for, and breaks "
          "nothing") {
  for (std::size_t i = 0; i < host::fault_kinds; ++i) {
    CAPTURE(protocol::fault_words.at(i));
    fault_spec what{.rates = host::fault_rates{}};
    what.rates->of.at(i) = 0.2;
    const host::simulation several{
      .first = 1, .last = 20, .scenario = scenario_of, .faults = what};
    const auto all = outcomes_of(several);
    for (const auto& one : all)
      for (const auto& found : one.findings.first)
        FAIL_CHECK("seed " << one.seed << ": " << found.rule << ": "
                           << found.message);
    const auto summary = host::summarise(several, all);
    const auto& faults = summary.at("faults").as_object();
    CHECK(faults.at("struck").as_object().size() == 1);
    // Nobody there is a person, and of two who take turns no message of one
    // can overtake the other's.
    const auto kind = static_cast<fault_kind>(i);
    const bool can_strike = kind != fault_kind::no_answer
                            && kind != fault_kind::request_reordered
                            && kind != fault_kind::answer_reordered;
    CHECK(faults.at("missing").as_array().empty() == can_strike);
  }
}

TEST_CASE("a log in segments that is damaged is refused, and the session goes "
          "on once it is put back") {
  fault_spec what{.rates = host::fault_rates{}, .segment_bytes = 1024};
  what.rates->of[static_cast<std::size_t>(fault_kind::damage)] = 0.3;
  const host::simulation several{
    .first = 1, .last = 20, .scenario = scenario_of, .faults = what};
  const auto all = outcomes_of(several);
  const auto summary = host::summarise(several, all);
  CHECK(summary.at("failed") == 0);
  // Where the log is long enough.
  CHECK(summary.at("faults").at("struck").at("damage").at("seeds") == 16);
}

TEST_CASE("a session goes on from its log after each of its processes") {
  fault_spec what{.rates = host::fault_rates{}};
  what.rates->of[static_cast<std::size_t>(fault_kind::kill)] = 0.3;
  what.rates->of[static_cast<std::size_t>(fault_kind::power_cut)] = 0.2;
  const host::simulation several{.first = 1,
                                 .last = 60,
                                 .threads = 2,
                                 .scenario = scenario_of,
                                 .faults = what};
  const auto all = outcomes_of(several);
  const auto summary = host::summarise(several, all);
  CHECK(summary.at("failed") == 0);
  const auto& sometimes = summary.at("faults").at("sometimes");
  for (const auto* state : {"resumed_with_open_turn", "resumed_after_deadline",
                            "log_tail_cut", "began_again", "end_survived"}) {
    CAPTURE(state);
    CHECK(sometimes.at(state) != 0);
  }
}

TEST_CASE("a fault is counted by how often it struck, and by the seeds") {
  fault_spec what{.rates = host::fault_rates{}};
  for (const auto kind : {fault_kind::crash, fault_kind::hang})
    what.rates->of[static_cast<std::size_t>(kind)] = 0.1;
  std::vector<host::seed_outcome> all(3);
  all[0].faults[static_cast<std::size_t>(fault_kind::crash)] = 3;
  all[2].faults[static_cast<std::size_t>(fault_kind::crash)] = 1;
  all[1].reached.set(
    static_cast<std::size_t>(host::reached_state::vote_timed_out));
  const auto told = host::summarise_faults(what, all);
  CHECK(told.at("struck").at("crash")
        == boost::json::object{{"times", 4}, {"seeds", 2}});
  CHECK(told.at("struck").at("hang")
        == boost::json::object{{"times", 0}, {"seeds", 0}});
  CHECK(told.at("struck").as_object().size() == 2);
  CHECK(told.at("missing") == boost::json::array{"hang"});
  CHECK(told.at("sometimes").at("vote_timed_out") == 1);
  CHECK(told.at("sometimes").at("quorum_missed") == 0);
}
