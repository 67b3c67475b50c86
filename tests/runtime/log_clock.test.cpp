#include "sample.hpp"

#include <catch2/catch.hpp>
#include <convene/protocol/boundary/boundary.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/runtime/engine.hpp>

#include <algorithm>
#include <atomic>
#include <memory>

using namespace convene;
using namespace convene::tests;
using std::chrono::milliseconds;

namespace {

constexpr protocol::timestamp_ms hour = 3'600'000;
constexpr protocol::timestamp_ms day = 24 * hour;

/// Clocks that tests set.
struct set_clocks {
  protocol::timestamp_ms wall = 1'800'000'000'000;
  milliseconds passed{5'000};

  [[nodiscard]] host::machine_clocks clocks() {
    return {.wall = [this] { return wall; },
            .monotonic = [this] { return passed; }};
  }
};

/// The system's, but whoever looks at the wall clock finds it set forward, by
/// `step` more each time; it begins `ahead` of the right time.
host::machine_clocks stepping(protocol::timestamp_ms ahead,
                              protocol::timestamp_ms step) {
  auto clocks = host::system_clocks();
  auto looks = std::make_shared<std::atomic<int>>(0);
  clocks.wall = [=, right = clocks.wall] {
    return right() + ahead + step * (*looks)++;
  };
  return clocks;
}

std::unique_ptr<convene::runtime> open(const std::filesystem::path& log,
                                       host::machine_clocks clocks) {
  auto rules = protocol::boundary::embedded_rules();
  REQUIRE(rules);
  auto made = host::runtime_access::open({.log = log}, *std::move(rules),
                                         std::nullopt, {}, std::move(clocks));
  REQUIRE(made);
  return *std::move(made);
}

std::vector<std::string> times_of(const std::filesystem::path& log) {
  const auto read = host::read_log(log);
  REQUIRE(read);
  std::vector<std::string> all;
  for (const auto& line : read->lines)
    all.emplace_back(
      protocol::parse_json(line.text)->at("timestamp").as_string());
  return all;
}

} // namespace

TEST_CASE("the log's time follows the monotonic clock, however the wall clock "
          "is set") {
  set_clocks machine;
  const host::log_clock clock{machine.clocks(), 0};
  const auto begin = machine.wall;
  CHECK(clock.now() == begin);
  CHECK(clock.behind() == milliseconds{0});
  machine.wall += 2 * hour;
  CHECK(clock.now() == begin);
  machine.passed += milliseconds{30};
  CHECK(clock.now() == begin + 30);
  machine.wall -= 2 * day;
  CHECK(clock.now() == begin + 30);
}

TEST_CASE("a clock that is behind the log goes on from the log's last event") {
  set_clocks machine;
  const auto last = machine.wall + 2 * day;
  const host::log_clock clock{machine.clocks(), last};
  CHECK(clock.now() == last);
  CHECK(clock.behind() == milliseconds{2 * day});
  machine.passed += milliseconds{30};
  CHECK(clock.now() == last + 30);
}

TEST_CASE("a wall clock that is set forward cancels no session") {
  const scratch_folder folder;
  const auto runs = open(folder / "events.jsonl", stepping(0, 2 * hour));
  auto setup = two_in(mode::round_robin);
  setup.options.max_duration_ms = hour;
  const auto session = runs->start(setup);
  const auto ended = session.await();
  REQUIRE(ended);
  CHECK(ended->status == collab_status::completed);
  CHECK(ended->duration_ms < hour);
}

TEST_CASE("a session whose log is ahead of the clock goes on without waiting, "
          "and its time does not go back") {
  const scratch_folder folder;
  const auto log = folder / "events.jsonl";
  auto spec = simulated_in(mode::round_robin, 1);
  // Nobody answers before the clock is set right: it cannot end before.
  spec.behaviours = {{"*", {{"type", "simulated"}, {"silence", 1}}}};
  spec.options.turn_timeout_ms = hour;
  {
    const auto runs = open(log, stepping(2 * day, 0));
    const auto session = runs->start(spec);
    runs->suspend_all("the clock is to be set right");
    CHECK_FALSE(session.await());
  }
  recovery_options with{.resume_suspended = true};
  for (const auto& who : two_in(mode::round_robin).participants)
    with.functions.emplace(who.participant_id, who);
  const auto before = times_of(log);
  REQUIRE_FALSE(before.empty());
  auto rules = protocol::boundary::embedded_rules();
  auto runs = host::runtime_access::open({.log = log}, *std::move(rules),
                                         std::nullopt, with,
                                         host::system_clocks());
  REQUIRE(runs);
  REQUIRE((*runs)->recovered().sessions.size() == 1);
  const auto ended
    = (*runs)->recovered().sessions.front().await_for(milliseconds{60'000});
  REQUIRE(ended);
  REQUIRE(*ended);
  CHECK((*ended)->status == collab_status::completed);
  const auto times = times_of(log);
  CHECK(times.size() > before.size());
  CHECK(std::ranges::is_sorted(times));
  CHECK(times.back() < protocol::format_timestamp(host::system_clocks().wall()
                                                  + 2 * day + hour));
}
