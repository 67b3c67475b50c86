#include <convene/lab/load/pacer.hpp>

#include <algorithm>
#include <utility>

namespace convene::host {
namespace {

constexpr auto never = load_time::max();

class closed_pacer final : public pacer {
public:
  explicit closed_pacer(std::vector<load_stage> stages)
    : stages_{std::move(stages)}, ends_{ends_of(stages_)} {}

  std::optional<load_time> due(load_time now, std::size_t open) override {
    const auto room = level_at(now) - static_cast<double>(open);
    if (room <= 0)
      return std::nullopt;
    while (static_cast<double>(freed_.size()) > room)
      freed_.pop_front();
    if (freed_.empty())
      return now;
    const auto at = freed_.front();
    freed_.pop_front();
    return at;
  }

  [[nodiscard]] load_time next(load_time now) const override {
    const auto stage = std::ranges::upper_bound(ends_, now);
    return stage == ends_.end() ? never : *stage;
  }

  /// Where the level has fallen, what ends makes no room.
  void ended(load_time at) override {
    if (at < ends_.back())
      freed_.push_back(at);
    while (static_cast<double>(freed_.size()) > level_at(at))
      freed_.pop_front();
  }

private:
  [[nodiscard]] double level_at(load_time now) const {
    const auto stage = std::ranges::upper_bound(ends_, now) - ends_.begin();
    return std::cmp_equal(stage, stages_.size())
             ? 0
             : stages_[static_cast<std::size_t>(stage)].level.value;
  }

  std::vector<load_stage> stages_;
  std::vector<load_time> ends_;
  std::deque<load_time> freed_; ///< when there was room
};

class open_pacer final : public pacer {
public:
  open_pacer(std::vector<load_stage> stages, double turns)
    : stages_{std::move(stages)}, ends_{ends_of(stages_)}, turns_{turns} {
    move_on(0);
  }

  std::optional<load_time> due(load_time now, std::size_t) override {
    if (next_ == never || next_ > now)
      return std::nullopt;
    const auto at = next_;
    move_on(1);
    return at;
  }

  [[nodiscard]] load_time next(load_time) const override {
    return next_;
  }

  void ended(load_time) override {
    // An open loop starts sessions whatever becomes of the others.
  }

private:
  /// Goes on until so many more sessions would have started.
  void move_on(double sessions) {
    while (stage_ < stages_.size()) {
      const auto a_second = rate();
      const auto left = std::chrono::duration<double>(ends_[stage_] - at_);
      if (a_second > 0 && left.count() * a_second > sessions) {
        at_ += std::chrono::duration_cast<load_time>(
          std::chrono::duration<double>{sessions / a_second});
        next_ = at_;
        return;
      }
      sessions -= left.count() * a_second;
      sessions = std::max(sessions, 0.0);
      at_ = ends_[stage_++];
    }
    next_ = never;
  }

  [[nodiscard]] double rate() const {
    const auto& level = stages_[stage_].level;
    return level.unit == load_unit::turns ? level.value / turns_ : level.value;
  }

  std::vector<load_stage> stages_;
  std::vector<load_time> ends_;
  double turns_;
  std::size_t stage_ = 0;
  load_time at_{};
  load_time next_{};
};

class recorded_pacer final : public pacer {
public:
  explicit recorded_pacer(std::vector<load_time> starts)
    : starts_{std::move(starts)} {}

  std::optional<load_time> due(load_time now, std::size_t) override {
    if (next_ == starts_.size() || starts_[next_] > now)
      return std::nullopt;
    return starts_[next_++];
  }

  [[nodiscard]] load_time next(load_time) const override {
    return next_ == starts_.size() ? never : starts_[next_];
  }

  void ended(load_time) override {
    // Recorded sessions start when they did.
  }

private:
  std::vector<load_time> starts_;
  std::size_t next_ = 0;
};

} // namespace

std::string_view to_word(load_unit unit) noexcept {
  return unit == load_unit::sessions     ? "sessions"
         : unit == load_unit::per_second ? "sessions/s"
                                         : "turns/s";
}

std::vector<load_time> ends_of(const std::vector<load_stage>& stages) {
  std::vector<load_time> ends;
  load_time at{};
  for (const auto& stage : stages)
    ends.push_back(at += stage.length);
  return ends;
}

std::unique_ptr<pacer> make_closed_pacer(std::vector<load_stage> stages) {
  return std::make_unique<closed_pacer>(std::move(stages));
}

std::unique_ptr<pacer> make_open_pacer(std::vector<load_stage> stages,
                                       double turns) {
  return std::make_unique<open_pacer>(std::move(stages), turns);
}

std::unique_ptr<pacer> make_recorded_pacer(std::vector<load_time> starts) {
  return std::make_unique<recorded_pacer>(std::move(starts));
}

} // namespace convene::host
