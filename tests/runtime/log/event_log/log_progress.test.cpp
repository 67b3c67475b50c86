#include <catch2/catch.hpp>
#include <convene/runtime/log/event_log/log_progress.hpp>

#include <string>
#include <vector>

using namespace convene;
using host::log_position;
using host::log_progress;
using protocol::result;

namespace {

protocol::error disk_full() {
  return {.code = protocol::errc::io_failed, .message = "disk full"};
}

/// What a log does, in order.
struct noted_log {
  log_progress progress;
  std::vector<std::string> notes;

  /// False: it was told at once.
  bool call(log_position place) {
    host::when_kept then = [this, place](const result<void>& kept) {
      notes.push_back(std::to_string(place) + (kept ? " kept" : " lost"));
    };
    return progress.call_later(place, then);
  }

  void write(std::size_t bytes, const result<void>& outcome = {}) {
    progress.write(
      bytes,
      [&] {
        notes.emplace_back(outcome ? "synced" : "failed");
        return outcome;
      },
      [&](const log_progress::news& what) {
        notes.push_back(what.until ? "until " + std::to_string(*what.until)
                                   : what.until.error().message);
        what.make();
      });
  }
};

using strings = std::vector<std::string>;

} // namespace

TEST_CASE("who waits for a place is told once it is synced, and not before") {
  noted_log log;
  CHECK(log.progress.append(10) == 10);
  CHECK(log.progress.append(5) == 15);
  CHECK(log.call(15));
  CHECK(log.call(10));
  CHECK_FALSE(log.progress.is_settled(10));
  log.write(10);
  CHECK(log.notes == strings{"synced", "until 10", "10 kept"});
  CHECK(log.progress.is_settled(10));
  CHECK_FALSE(log.progress.is_settled(15));
  CHECK(log.progress.waiting() == 5);
  log.notes.clear();
  log.write(5);
  CHECK(log.notes == strings{"synced", "until 15", "15 kept"});
  CHECK_FALSE(log.call(15));
  CHECK(log.progress.outcome(15));
}

TEST_CASE("the first failure is told to all who wait, and is final") {
  noted_log log;
  log.progress.append(10);
  log.write(10);
  log.progress.append(10);
  log.progress.append(10);
  CHECK(log.call(30));
  CHECK(log.call(20));
  log.notes.clear();
  log.write(10, protocol::fail(disk_full()));
  CHECK(log.notes == strings{"failed", "disk full", "30 lost", "20 lost"});
  CHECK_FALSE(log.call(30));
  CHECK(log.progress.kept() == 10);
  CHECK(log.progress.outcome(10));
  REQUIRE_FALSE(log.progress.outcome(11));
  log.progress.fail({.code = protocol::errc::io_failed, .message = "another"});
  CHECK(log.progress.outcome(11).error().message == "disk full");
}
