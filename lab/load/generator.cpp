#include <convene/lab/load/generator.hpp>

#include <algorithm>
#include <unordered_map>

namespace convene::host {
namespace {

using std::chrono::seconds;

/// How often a stop is looked for.
constexpr std::chrono::milliseconds glance{100};

class generator {
public:
  generator(const load_schedule& how, pacer& pace, load_target& target,
            load_recorder& recorder, const std::atomic<bool>& stop)
    : how_{how}, pace_{pace}, target_{target}, recorder_{recorder}, stop_{
                                                                      stop} {}

  load_course run() {
    while (is_on(target_.now()))
      step(how_.stage_ends.back());
    const auto over = target_.now();
    made_.measured = std::clamp(over, how_.warm_up, how_.stage_ends.back())
                     - how_.warm_up;
    // What comes now is no longer measured, and ends nothing early.
    if (how_.on_second && made_.aborted.empty() && over > told_)
      static_cast<void>(how_.on_second(over, open_.size()));
    const auto limit = over + how_.drain;
    while ((is_late() || !open_.empty()) && target_.now() < limit && !stop_
           && made_.aborted.empty()) {
      start_due(limit);
      if (!is_late())
        target_.wait_until(std::min(limit, target_.now() + glance));
      take_ended();
    }
    made_.interrupted = stop_;
    made_.left_some_out = is_late() && !stop_ && made_.aborted.empty();
    const auto now = target_.now();
    for (const auto& [number, one] : open_)
      recorder_.unfinished(one.order, one.begun, now);
    target_.abandon();
    return made_;
  }

private:
  struct open_session {
    load_order order;
    load_time begun{}; ///< when the target was told to start it
  };

  bool is_on(load_time now) const {
    const bool has_more = !how_.ends_with_last || !open_.empty()
                          || pace_.next(now) != load_time::max();
    return now < how_.stage_ends.back() && !stop_ && made_.aborted.empty()
           && has_more;
  }

  /// Whether an open loop still has sessions to start that were due before the
  /// end: to leave them out would hide how late they are.
  [[nodiscard]] bool is_late() const {
    return pace_.next(how_.stage_ends.back()) < how_.stage_ends.back();
  }

  void step(load_time until) {
    take_ended();
    start_due(until);
    const auto now = target_.now();
    recorder_.enter_stage(stage_of(now));
    if (now >= next_told()) {
      told_ = now;
      if (how_.on_second && made_.aborted.empty())
        made_.aborted = how_.on_second(now, open_.size());
    }
    if (made_.aborted.empty())
      target_.wait_until(
        std::min({until, pace_.next(now), now + glance, next_told()}));
  }

  /// A second later, and when the warm-up ends.
  load_time next_told() const {
    const auto next = told_ + seconds{1};
    return told_ < how_.warm_up ? std::min(next, how_.warm_up) : next;
  }

  void take_ended() {
    for (const auto& one : target_.take()) {
      if (open_.erase(one.order.number) == 0)
        continue;
      recorder_.ended(one);
      pace_.ended(one.ended);
    }
  }

  /// Those that are due now, `until` then, and not more at a time than keeps it
  /// from looking at what has ended.
  void start_due(load_time until) {
    constexpr int in_a_row = 64;
    for (int i = 0; i < in_a_row && target_.now() < until; ++i) {
      const auto intended = pace_.due(target_.now(), open_.size());
      if (!intended || *intended >= how_.stage_ends.back() || stop_)
        return;
      if (open_.size() == how_.open_max) {
        made_.aborted
          = "more than " + std::to_string(how_.open_max)
            + " sessions have not ended: the load is more than is carried ("
            + std::string{sessions_open_max} + ")";
        return;
      }
      const load_order order{.number = made_.started,
                             .kind = how_.kind_of(made_.started),
                             .stage = stage_of(*intended),
                             .intended = *intended,
                             .measured = *intended >= how_.warm_up};
      ++made_.started;
      open_.emplace(order.number, open_session{order, target_.now()});
      made_.open_most = std::max(made_.open_most, open_.size());
      recorder_.begun(order);
      target_.start(order);
    }
  }

  std::size_t stage_of(load_time when) const {
    const auto at = std::ranges::upper_bound(how_.stage_ends, when);
    const auto stage = static_cast<std::size_t>(at - how_.stage_ends.begin());
    return std::min(stage, how_.stage_ends.size() - 1);
  }

  const load_schedule& how_;
  pacer& pace_;
  load_target& target_;
  load_recorder& recorder_;
  const std::atomic<bool>& stop_;
  std::unordered_map<std::uint64_t, open_session> open_;
  load_time told_{};
  load_course made_;
};

} // namespace

load_course generate(const load_schedule& how, pacer& pace, load_target& target,
                     load_recorder& recorder, const std::atomic<bool>& stop) {
  return generator{how, pace, target, recorder, stop}.run();
}

} // namespace convene::host
