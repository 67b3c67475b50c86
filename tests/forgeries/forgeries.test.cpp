// How many single edits of a log `check` misses, by its rules alone and with
// the sessions computed again. CONVENE_FORGERIES=all tries every edit of every
// example; a number is the seed of the sample.

#include <boost/json/serialize.hpp>
#include <convene/protocol/checks/event_check.hpp>
#include <convene/runtime/log/recovery/log_replay.hpp>
#include <forgeries/action_log.hpp>
#include <forgeries/edits.hpp>
#include <forgeries/equivalent.hpp>
#include <forgeries/example_logs.hpp>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <random>

using namespace convene;
using namespace convene::tests;

namespace {

/// Of so many, the share is within half a percent of that of all edits.
constexpr std::size_t sample_size = 5'000;

bool rules_notice(const event_log& log) {
  protocol::event_checker checker;
  for (std::size_t i = 0; i < log.size(); ++i)
    checker.feed(i + 1, log[i]);
  static_cast<void>(checker.finish());
  return checker.findings_total() != 0;
}

bool replay_notices(const event_log& log) {
  if (log.empty() || !host::can_be_recomputed(log.front().as_object()))
    return false;
  host::log_replay again;
  const std::string file = "log";
  for (std::size_t i = 0; i < log.size(); ++i)
    again.feed({file, 0, 1, i + 1, 0}, json::serialize(log[i]));
  const auto sessions = again.finish();
  return std::ranges::any_of(sessions, [](const auto& one) {
    return one.divergence.has_value();
  });
}

struct tally {
  std::size_t tried = 0;
  std::size_t missed = 0;
  std::map<std::string, std::size_t> equivalent; ///< missed ones, by class
  std::map<std::string, std::size_t> examples;   ///< of other missed ones

  [[nodiscard]] double share() const {
    return 100.0 * static_cast<double>(missed) / static_cast<double>(tried);
  }

  /// Those that make an equivalent log, or that only a session that is computed
  /// again can show, are counted apart.
  void print(const char* title, bool verbose) const {
    std::size_t equal = 0;
    for (const auto& [what, count] : equivalent)
      equal += count;
    std::cout << title << ": " << tried << " edits, " << missed
              << " unnoticed, " << share() << " %, besides " << equal
              << " counted apart\n";
    for (const auto& [what, count] : equivalent)
      std::cout << "  apart: " << count << ' ' << what << '\n';
    if (verbose)
      for (const auto& [what, count] : examples)
        std::cout << "  unnoticed: " << count << ' ' << what << '\n';
  }

  /// Counts an edit that was not noticed.
  void miss(const std::string& edit, const std::string& why) {
    if (!why.empty()) {
      ++equivalent[why];
      return;
    }
    ++missed;
    ++examples[edit];
  }
};

} // namespace

TEST_CASE("a log that was edited is noticed") {
  auto examples = run_examples();
  examples.push_back({"actions", log_of_actions()});
  REQUIRE(examples.size() >= 10);
  struct forgery {
    const example* of;
    edit what;
  };
  std::vector<forgery> all;
  for (const auto& one : examples) {
    CAPTURE(one.name);
    REQUIRE_FALSE(rules_notice(one.log));
    REQUIRE_FALSE(replay_notices(one.log));
    for (auto& what : edits_of(one.log))
      all.push_back({&one, std::move(what)});
  }
  const auto* wish = std::getenv("CONVENE_FORGERIES");
  const std::string wanted = wish == nullptr ? "" : wish;
  std::cout << all.size() << " single edits of " << examples.size()
            << " logs\n";
  if (wanted != "all") {
    const auto seed = wanted.empty() ? std::random_device{}()
                                     : std::stoul(wanted);
    std::cout << "a sample of " << sample_size << ", CONVENE_FORGERIES=" << seed
              << '\n';
    std::mt19937 random{static_cast<std::uint32_t>(seed)};
    std::ranges::shuffle(all, random);
    all.resize(std::min(all.size(), sample_size));
  }
  std::map<std::string, known_values> known;
  for (const auto& one : examples)
    known.emplace(one.name, known_values{one.log});
  tally rules;
  tally whole;
  for (const auto& [of, what] : all) {
    const auto forged = forge(of->log, what, known.at(of->name));
    if (forged == of->log)
      continue;
    ++rules.tried;
    ++whole.tried;
    if (rules_notice(forged))
      continue;
    const auto edit = describe(of->log, what);
    rules.miss(of->name + ": " + edit, why_equal_to_rules(of->log, what));
    if (!replay_notices(forged))
      whole.miss(of->name + ": " + edit, why_equal(of->log, what));
  }
  const bool verbose = std::getenv("CONVENE_FORGERIES_VERBOSE") != nullptr;
  rules.print("by the rules alone", verbose);
  whole.print("by check as a whole", verbose);
  CHECK(whole.share() <= 2);
  CHECK(rules.share() <= 3);
}
