#include <catch2/catch.hpp>
#include <convene/lab/load/generator.hpp>

#include <algorithm>
#include <queue>

using namespace convene::host;
using namespace std::chrono_literals;

namespace {

/// A system on a clock of its own: each session takes some milliseconds, one
/// after another, and for a while nothing happens at all.
class stalling_system final : public load_target {
public:
  load_time service = 1ms;
  load_time stalls_from{};
  load_time stalls_until{};
  load_time start_takes{}; ///< of the generator's own time
  bool never_ends = false;

  load_time now() override {
    return now_;
  }

  void start(const load_order& order) override {
    const auto began = now_;
    now_ += start_takes;
    free_at_ = std::max(free_at_, now_) + service;
    if (free_at_ > stalls_from && free_at_ <= stalls_until)
      free_at_ = stalls_until + service;
    if (!never_ends)
      ends_.push_back({.order = order, .began = began, .ended = free_at_});
  }

  std::vector<load_ending> take() override {
    std::vector<load_ending> over;
    while (!ends_.empty() && ends_.front().ended <= now_) {
      over.push_back(ends_.front());
      ends_.pop_front();
    }
    return over;
  }

  void wait_until(load_time when) override {
    if (!ends_.empty())
      when = std::min(when, ends_.front().ended);
    now_ = std::max(now_, when);
  }

  void abandon() override {
    was_abandoned = true;
  }

  bool was_abandoned = false;

private:
  load_time now_{};
  load_time free_at_{};
  std::deque<load_ending> ends_;
};

struct measured_load {
  load_course course;
  std::unique_ptr<load_figures> figures;
  std::uint64_t unfinished = 0;
};

load_schedule ten_seconds() {
  return {.stage_ends = {10s}, .kind_of = [](std::uint64_t) { return 0U; }};
}

measured_load put(stalling_system& on, std::unique_ptr<pacer> pace,
                  const load_schedule& how = ten_seconds()) {
  load_recorder recorder{1, how.stage_ends.size(), how.warm_up,
                         how.stage_ends.back()};
  const std::atomic<bool> stop = false;
  auto course = generate(how, *pace, on, recorder, stop);
  return {std::move(course), recorder.total(), recorder.unfinished()};
}

std::unique_ptr<pacer> open_loop(double rate) {
  return make_open_pacer({{10s, {rate, load_unit::per_second}}}, 1);
}

std::unique_ptr<pacer> closed_loop(double sessions) {
  return make_closed_pacer({{10s, {sessions, load_unit::sessions}}});
}

load_time quantile(const measured_load& of, load_measure what, double share) {
  return load_time{static_cast<load_time::rep>(
    of.figures->of(what).quantile(share).value_or(0))};
}

} // namespace

TEST_CASE("a system that stalls for a second shows in an open loop, and not in "
          "a closed one") {
  // A tenth of the sessions of an open loop should have started in that second;
  // a closed loop has a single one waiting.
  stalling_system one;
  one.stalls_from = 5s;
  one.stalls_until = 6s;
  const auto open = put(one, open_loop(100));
  CHECK(open.figures->of(load_measure::session).count() == 1000);
  CHECK(quantile(open, load_measure::session, 0.5) < 2ms);
  CHECK(quantile(open, load_measure::session, 0.95) > 400ms);
  CHECK(quantile(open, load_measure::session, 0.99) > 850ms);

  stalling_system other;
  other.stalls_from = 5s;
  other.stalls_until = 6s;
  const auto closed = put(other, closed_loop(1));
  CHECK(closed.figures->of(load_measure::session).count() > 8'000);
  CHECK(quantile(closed, load_measure::session, 0.99) < 2ms);
  CHECK(quantile(closed, load_measure::session, 1) > 900ms);
}

TEST_CASE("what a system cannot carry makes each session wait longer") {
  stalling_system system; // a thousand a second
  const auto put_on = put(system, open_loop(2000));
  CHECK(quantile(put_on, load_measure::session, 0.5) > 3s);
  CHECK(put_on.figures->of(load_tally::completed) >= 9'990);
  CHECK(put_on.figures->of(load_tally::completed) <= 10'000);
  CHECK(put_on.course.started == 20'000);
}

TEST_CASE("an open loop starts what was due before its end, however late") {
  stalling_system system;
  system.start_takes = 12ms; // those of the last 1.7 s are due before it comes
  const auto put_on = put(system, open_loop(100));
  CHECK(put_on.course.started == 1000);
  CHECK(put_on.figures->of(load_measure::session).count() == 1000);
  CHECK(quantile(put_on, load_measure::lag, 1) > 1900ms);
}

TEST_CASE("what cannot be started by the end of the drain is left out") {
  stalling_system system;
  system.start_takes = 20ms;
  auto how = ten_seconds();
  how.drain = 1s;
  const auto put_on = put(system, open_loop(100), how);
  CHECK(put_on.course.started >= 549);
  CHECK(put_on.course.started <= 551);
}

TEST_CASE("a generator that is itself late says so by its lag") {
  stalling_system system;
  system.start_takes = 20ms; // a hundred a second are too many
  const auto late = put(system, open_loop(100));
  CHECK(quantile(late, load_measure::lag, 0.5) > 1s);
  stalling_system other;
  const auto in_time = put(other, open_loop(100));
  CHECK(quantile(in_time, load_measure::lag, 1) == 0ms);
}

TEST_CASE("a closed loop never has more sessions open than it says") {
  stalling_system system;
  const auto put_on = put(system, closed_loop(7));
  CHECK(put_on.course.open_most == 7);
  CHECK(put_on.figures->of(load_tally::completed) > 9'000);
}

TEST_CASE("sessions of the warm-up are not measured") {
  stalling_system system;
  system.stalls_from = 0s;
  system.stalls_until = 1s;
  auto how = ten_seconds();
  how.warm_up = 2s;
  how.stage_ends = {12s};
  const auto put_on = put(
    system, make_open_pacer({{12s, {10, load_unit::per_second}}}, 1), how);
  CHECK(put_on.figures->of(load_measure::session).count() == 100);
  CHECK(quantile(put_on, load_measure::session, 1) < 2ms);
  CHECK(put_on.course.measured == 10s);
}

TEST_CASE("what has not ended after the drain is counted, with the time that "
          "it took so far") {
  stalling_system system;
  system.never_ends = true;
  auto how = ten_seconds();
  how.drain = 5s;
  const auto put_on = put(system, closed_loop(3), how);
  CHECK(put_on.unfinished == 3);
  CHECK(quantile(put_on, load_measure::session, 0.5) >= 14s);
  CHECK(put_on.figures->of(load_measure::lag).count() == 3);
  CHECK(system.was_abandoned);
}

TEST_CASE("a generator that is late shows, though no session has ended") {
  stalling_system system;
  system.never_ends = true;
  system.start_takes = 100ms;
  auto how = ten_seconds();
  how.drain = 1s;
  const auto put_on = put(system, open_loop(100), how);
  CHECK(put_on.figures->of(load_measure::lag).count() == put_on.unfinished);
  CHECK(quantile(put_on, load_measure::lag, 0.99) > 9s);
  CHECK(put_on.course.left_some_out);

  stalling_system other;
  CHECK_FALSE(put(other, open_loop(100)).course.left_some_out);
  stalling_system busy;
  busy.never_ends = true;
  CHECK_FALSE(put(busy, closed_loop(3)).course.left_some_out);
}

TEST_CASE("more open sessions than are allowed end a load by the bound's "
          "name") {
  stalling_system system;
  system.never_ends = true;
  auto how = ten_seconds();
  how.open_max = 50;
  const auto put_on = put(system, open_loop(100), how);
  CHECK_THAT(put_on.course.aborted,
             Catch::Contains(std::string{sessions_open_max}));
  CHECK(put_on.course.measured < 1s);
  CHECK(put_on.course.started == 50);
}

TEST_CASE("a load ends when it is told to each second, or to stop") {
  stalling_system system;
  auto how = ten_seconds();
  std::vector<load_time> seconds;
  how.on_second = [&](load_time now, std::size_t) {
    seconds.push_back(now);
    return seconds.size() == 3 ? "enough" : "";
  };
  const auto put_on = put(system, open_loop(10), how);
  CHECK(put_on.course.aborted == "enough");
  CHECK(seconds == std::vector<load_time>{1s, 2s, 3s});

  stalling_system warming_up;
  how.warm_up = 1300ms;
  how.stage_ends = {11s};
  seconds.clear();
  static_cast<void>(put(warming_up, open_loop(10), how));
  CHECK(seconds == std::vector<load_time>{1s, 1300ms, 2300ms});

  // What is left of the last second is told before the drain.
  stalling_system whole;
  how.on_second = [&](load_time now, std::size_t) {
    seconds.push_back(now);
    return std::string{};
  };
  how.warm_up = 0ms;
  how.stage_ends = {2500ms};
  seconds.clear();
  static_cast<void>(put(whole, open_loop(10), how));
  CHECK(seconds == std::vector<load_time>{1s, 2s, 2500ms});

  stalling_system other;
  load_recorder recorder{1, 1, 0s, 10s};
  const std::atomic<bool> stop = true;
  const auto course = generate(ten_seconds(), *open_loop(10), other, recorder,
                               stop);
  CHECK(course.interrupted);
  CHECK(course.started == 0);
}

TEST_CASE("stages have figures of their own, by when a session should have "
          "started") {
  stalling_system system;
  system.stalls_from = 5s;
  system.stalls_until = 6s;
  auto how = ten_seconds();
  how.stage_ends = {5s, 10s};
  load_recorder recorder{1, 2, 0s, 10s};
  const std::atomic<bool> stop = false;
  const auto pace = make_open_pacer(
    {{5s, {10, load_unit::per_second}}, {5s, {100, load_unit::per_second}}}, 1);
  static_cast<void>(generate(how, *pace, system, recorder, stop));
  const auto first = recorder.of_stage(0);
  const auto second = recorder.of_stage(1);
  CHECK(first->of(load_measure::session).count() == 50);
  CHECK(second->of(load_measure::session).count() == 500);
  CHECK(*first->of(load_measure::session).max() < 2'000'000);
  CHECK(*second->of(load_measure::session).max() > 900'000'000);
}
