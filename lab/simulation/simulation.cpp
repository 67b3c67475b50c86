#include <convene/lab/simulation/judge_seed.hpp>
#include <convene/lab/simulation/keep_seed.hpp>
#include <convene/lab/simulation/simulation.hpp>
#include <convene/protocol/base/catch_error.hpp>

#include <algorithm>
#include <iterator>
#include <mutex>
#include <optional>
#include <set>
#include <system_error>
#include <thread>
#include <utility>

namespace convene::host {

using namespace protocol;

namespace {

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
      const auto thrown = actors::catch_error([&] { made = run_one(index); });
      if (thrown)
        give_up({.code = errc::internal, .message = "a seed: " + *thrown});
      if (!made)
        continue;
      const bool has_failed = made->has_failed();
      outcomes_[index] = std::move(made);
      if (has_failed)
        note_failed(index);
      note_done(has_failed);
    }
  }

  std::optional<seed_outcome> run_one(std::size_t index) {
    const auto seed = what_.first + index;
    const auto scenario = what_.scenario(seed);
    if (!scenario) {
      seed_outcome made{.seed = seed};
      made.findings.add(to_finding(scenario.error()));
      if (what_.series != nullptr)
        what_.series->add(index, {});
      return made;
    }
    auto one = judge_seed(what_, *scenario, seed, stop_);
    if (!one)
      return std::nullopt;
    auto& made = one->outcome;
    if (what_.series != nullptr)
      what_.series->add(index, std::move(one->series));
    if (!what_.out.empty()
        && (what_.keep == kept_seeds::all || made.has_failed()))
      if (auto kept = keep_seed(what_.out / std::to_string(seed), *scenario,
                                seed, one->log,
                                one->ended ? &*one->ended : nullptr);
          !kept)
        give_up(std::move(kept).error());
    return std::move(made);
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
    std::vector<finding>{}.swap(outcomes_[*highest]->findings.first);
    told_.erase(highest);
  }

  void note_done(bool has_failed) {
    if (!what_.on_progress)
      return;
    const std::lock_guard held{mutex_};
    failed_ += has_failed ? 1 : 0;
    what_.on_progress(++done_, failed_);
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
  std::size_t failed_ = 0;
  std::set<std::size_t> told_; ///< failed seeds that keep their findings
  std::atomic<bool> has_fault_ = false;
};

} // namespace

result<std::vector<seed_outcome>> simulate(const simulation& what,
                                           const std::atomic<bool>& stop) {
  return seed_workers{what, stop}.run();
}

} // namespace convene::host
