#include <convene/lab/simulation/judge_seed.hpp>
#include <convene/lab/simulation/scenario_edits.hpp>
#include <convene/lab/simulation/shrink.hpp>
#include <convene/protocol/base/catch_error.hpp>
#include <convene/session/spec/spec.hpp>

#include <algorithm>
#include <optional>
#include <set>
#include <system_error>
#include <thread>
#include <utility>

namespace convene::host {

using namespace protocol;

namespace {

/// A way to make a case smaller: of its script or of its scenario.
struct case_edit {
  std::optional<scenario_edit> of_scenario;
  std::size_t first = 0; ///< turns of the script that are left out
  std::size_t count = 0;
  std::int64_t at = 0; ///< instead: where the first one strikes then
};

std::vector<case_edit> edits_of_case(const shrunk_case& what) {
  std::vector<case_edit> all;
  const auto turns = what.script.size();
  for (auto size = turns; size != 0; size /= 2)
    for (std::size_t first = 0; first < turns; first += size)
      all.push_back({.first = first, .count = std::min(size, turns - first)});
  for (auto& one : edits_of(what.scenario))
    all.push_back({.of_scenario = std::move(one)});
  for (std::size_t i = 0; i < turns; ++i) {
    const auto at = what.script[i].at;
    for (const auto lower : std::set{std::int64_t{1}, at / 2, at - 1})
      if (lower >= 1 && lower < at)
        all.push_back({.first = i, .at = lower});
  }
  return all;
}

shrunk_case edited(const shrunk_case& from, const case_edit& by) {
  if (by.of_scenario)
    return {apply(from.scenario, *by.of_scenario), from.script};
  auto made = from;
  if (by.at != 0) {
    made.script[by.first].at = by.at;
    return made;
  }
  const auto begin = made.script.begin()
                     + static_cast<std::ptrdiff_t>(by.first);
  made.script.erase(begin, begin + static_cast<std::ptrdiff_t>(by.count));
  return made;
}

class shrinking {
public:
  shrinking(const shrink_order& how, const std::atomic<bool>& stop)
    : how_(how), stop_(stop) {}

  result<shrunk_seed> run(const seeded_scenario& from) {
    auto first = judge_seed(*how_.like, from, how_.seed, stop_);
    if (!first)
      return interrupted();
    const auto& outcome = first->outcome;
    if (!outcome.has_failed() || first->log.text.empty())
      return fail(errc::not_allowed,
                  "only a seed that began and failed can be made smaller",
                  "shrink_start");
    if (first->script.size() > fault_script_max)
      return fail(errc::limit_reached,
                  "the faults of the seed are more than a script may have: "
                    + std::to_string(first->script.size()) + " of "
                    + std::to_string(fault_script_max) + "; give lower rates",
                  "fault_script_max");
    made_.rule = outcome.findings.first.front().rule;
    if (made_.rule == "property" && !outcome.broken.empty())
      property_ = outcome.broken.front();
    made_.smallest = {session::encode(from.spec), std::move(first->script)};
    auto message = failure_of(made_.smallest);
    if (!message)
      return stop_ ? result<shrunk_seed>{interrupted()}
                   : fail(errc::not_allowed,
                          "the seed does not fail by its resolved scenario and "
                          "the script of its faults alone",
                          "shrink_start");
    made_.message = *std::move(message);
    while (!made_.is_minimal && made_.runs < how_.runs_max && !stop_)
      pass();
    if (stop_)
      return interrupted();
    return std::move(made_);
  }

private:
  static tl::unexpected<protocol::error> interrupted() {
    return fail(errc::not_allowed, "the simulation was interrupted",
                std::string{seed_interrupted});
  }

  /// Tries all edits, goes on behind each that is taken, and begins again with
  /// what is left until nothing can be left out.
  void pass() {
    bool is_smaller = false;
    auto edits = edits_of_case(made_.smallest);
    for (std::size_t at = 0; at < edits.size();) {
      const auto taken = first_failing(edits, at);
      if (!taken && (stop_ || made_.runs >= how_.runs_max))
        return;
      if (!taken)
        break;
      is_smaller = true;
      at = *taken;
      edits = edits_of_case(made_.smallest);
    }
    made_.is_minimal = !is_smaller;
  }

  /// The first edit from `at` on that leaves the failure; it is taken.
  std::optional<std::size_t> first_failing(const std::vector<case_edit>& edits,
                                           std::size_t at) {
    while (at < edits.size() && made_.runs < how_.runs_max && !stop_) {
      const auto count = std::min(
        {how_.threads, edits.size() - at, how_.runs_max - made_.runs});
      std::vector<shrunk_case> tried(count);
      std::vector<std::optional<std::string>> messages(count);
      const auto try_one = [&](std::size_t i) {
        tried[i] = edited(made_.smallest, edits[at + i]);
        messages[i] = failure_of(tried[i]);
      };
      {
        std::vector<std::jthread> others;
        for (std::size_t i = 1; i < count; ++i)
          try {
            others.emplace_back(try_one, i);
          } catch (const std::system_error&) { // no thread can be had
            try_one(i);
          }
        try_one(0);
      }
      for (std::size_t i = 0; i < count; ++i) {
        ++made_.runs;
        if (!messages[i])
          continue;
        made_.smallest = std::move(tried[i]);
        made_.message = *std::move(messages[i]);
        return at + i;
      }
      at += count;
    }
    return std::nullopt;
  }

  /// What the finding of the rule says; nothing: the case does not break it.
  std::optional<std::string> failure_of(const shrunk_case& what) const {
    std::optional<std::string> message;
    const auto thrown = actors::catch_error([&] { message = judge(what); });
    return thrown ? std::nullopt : message;
  }

  std::optional<std::string> judge(const shrunk_case& what) const {
    const auto scenario = how_.scenario(what.scenario);
    if (!scenario)
      return std::nullopt;
    auto like = *how_.like;
    if (like.faults) {
      like.faults->rates.reset();
      like.faults->random.reset();
      like.faults->script = what.script;
    }
    const auto one = judge_seed(like, *scenario, how_.seed, stop_);
    if (!one || one->log.text.empty())
      return std::nullopt;
    const auto& outcome = one->outcome;
    if (property_
        && std::ranges::find(outcome.broken, *property_)
             == outcome.broken.end())
      return std::nullopt;
    const auto found = std::ranges::find(outcome.findings.first, made_.rule,
                                         &finding::rule);
    if (found == outcome.findings.first.end())
      return std::nullopt;
    return found->message;
  }

  const shrink_order& how_;
  const std::atomic<bool>& stop_;
  shrunk_seed made_;
  std::optional<std::uint32_t> property_;
};

} // namespace

result<shrunk_seed> shrink(const shrink_order& how, const seeded_scenario& from,
                           const std::atomic<bool>& stop) {
  return shrinking{how, stop}.run(from);
}

} // namespace convene::host
