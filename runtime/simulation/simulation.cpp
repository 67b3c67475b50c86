#include <convene/protocol/base/catch_error.hpp>
#include <convene/protocol/base/sha256.hpp>
#include <convene/runtime/simulation/check_seed.hpp>
#include <convene/runtime/simulation/keep_seed.hpp>
#include <convene/runtime/simulation/property_judge.hpp>
#include <convene/runtime/simulation/simulation.hpp>

#include <algorithm>
#include <iterator>
#include <mutex>
#include <optional>
#include <set>
#include <system_error>
#include <thread>
#include <utility>

namespace convene::host {

using protocol::errc;
using protocol::error;
using protocol::fail;
using protocol::result;

namespace {

protocol::finding to_finding(const error& why) {
  return {.rule = why.rule.empty() ? std::string{to_word(why.code)} : why.rule,
          .message = to_string(why)};
}

class seed_workers {
public:
  seed_workers(const simulation& what, const std::atomic<bool>& stop)
    : what_(what), stop_(stop) {}

  result<std::vector<seed_outcome>> run() {
    const auto seeds = what_.last - what_.first + 1;
    outcomes_.resize(seeds);
    {
      std::vector<std::jthread> others;
      const auto wanted = std::min<std::uint64_t>(what_.threads, seeds);
      try {
        while (others.size() + 1 < wanted)
          others.emplace_back([this] { work(); });
      } catch (const std::system_error&) {
        // Those that run do the work.
      }
      work();
    }
    if (fault_)
      return fail(*std::move(fault_));
    std::vector<seed_outcome> made;
    made.reserve(seeds);
    for (auto& one : outcomes_)
      if (one)
        made.push_back(*std::move(one));
    return made;
  }

private:
  void work() {
    while (!stop_ && !has_fault_) {
      const auto index = next_++;
      if (index >= outcomes_.size())
        return;
      std::optional<seed_outcome> made;
      const auto thrown
        = actors::catch_error([&] { made = run_one(what_.first + index); });
      if (thrown)
        give_up({.code = errc::internal, .message = "a seed: " + *thrown});
      if (!made)
        continue;
      const bool has_failed = made->has_failed();
      outcomes_[index] = std::move(made);
      if (has_failed)
        note_failed(index);
      note_done();
    }
  }

  std::optional<seed_outcome> run_one(std::uint64_t seed) {
    seed_outcome made{.seed = seed};
    const auto scenario = what_.scenario(seed);
    if (!scenario) {
      made.findings.add(to_finding(scenario.error()));
      return made;
    }
    seed_log log;
    const auto ended = run_seed(scenario->spec, seed, what_.log_bytes_max,
                                stop_, log);
    if (!ended && ended.error().rule == seed_interrupted)
      return std::nullopt;
    made.digest = protocol::sha256(log.text);
    if (ended)
      judge(log, *ended, made);
    else
      made.findings.add(to_finding(ended.error()));
    if (!what_.out.empty()
        && (what_.keep == kept_seeds::all || made.has_failed()))
      if (auto kept = keep_seed(what_.out / std::to_string(seed), *scenario,
                                seed, log, ended ? &*ended : nullptr);
          !kept)
        give_up(std::move(kept).error());
    return made;
  }

  void judge(const seed_log& log, const session_result& ended,
             seed_outcome& made) const {
    made.has_ended = true;
    made.status = ended.status;
    made.condition = ended.stop_reason.condition;
    if (made.condition == "fault")
      made.findings.add({.rule = "fault",
                         .session_id = ended.collab.collab_id,
                         .message = "the session ended by an internal fault: "
                                    + ended.stop_reason.observed});
    seed_meter meter;
    property_judge properties{what_.properties};
    check_seed(log, ended, made.findings,
               [&](std::size_t number, const boost::json::value& event,
                   std::string_view line) {
                 if (const auto* object = event.if_object())
                   meter.feed(*object);
                 if (!what_.properties.empty())
                   properties.feed(number, event, line);
               });
    made.measures = meter.finish(ended);
    made.broken = properties.finish(ended, made.findings);
  }

  void give_up(error why) {
    const std::lock_guard held{mutex_};
    if (!fault_)
      fault_ = std::move(why);
    has_fault_ = true;
  }

  /// Of too many failed seeds the highest keeps no findings.
  void note_failed(std::size_t index) {
    const std::lock_guard held{mutex_};
    told_.insert(index);
    if (told_.size() <= failures_told_max)
      return;
    const auto highest = std::prev(told_.end());
    std::vector<protocol::finding>{}.swap(outcomes_[*highest]->findings.first);
    told_.erase(highest);
  }

  void note_done() {
    if (!what_.on_progress)
      return;
    const std::lock_guard held{mutex_};
    what_.on_progress(++done_);
  }

  const simulation& what_;
  const std::atomic<bool>& stop_;
  std::atomic<std::uint64_t> next_ = 0;
  /// Each written by one thread, then by those that hold the mutex, and read
  /// when all have ended.
  std::vector<std::optional<seed_outcome>> outcomes_;
  std::mutex mutex_;
  std::optional<error> fault_; ///< guarded by mutex, like the next
  std::size_t done_ = 0;
  std::set<std::size_t> told_; ///< failed seeds that keep their findings
  std::atomic<bool> has_fault_ = false;
};

} // namespace

result<std::vector<seed_outcome>> simulate(const simulation& what,
                                           const std::atomic<bool>& stop) {
  return seed_workers{what, stop}.run();
}

} // namespace convene::host
