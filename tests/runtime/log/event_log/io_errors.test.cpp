// Each call to the disk fails once, in each way: nothing is acknowledged that
// is not kept, and the log goes on once the disk does.

#include "log_history.hpp"

#include <catch2/catch.hpp>

#include <system_error>

using namespace convene;
using namespace convene::tests;
using convene::host::event_log_writer;
using namespace std::chrono_literals;

namespace {

using call = frail_storage::call;

/// Failures that change nothing: less room in advance, ancestors' names.
bool is_harmless(call what) {
  return what == call::preallocate || what == call::sync_folder
         || what == call::truncate;
}

} // namespace

TEST_CASE("an error of the disk in any call ends the log, and loses nothing") {
  const auto [number, for_good] = GENERATE(table<int, bool>({{ENOSPC, true},
                                                             {EIO, false},
                                                             {EIO, true},
                                                             {EROFS, true},
                                                             {ENOSPC, false}}));
  const bool segmented = GENERATE(false, true);
  bool reached = true;
  for (std::uint64_t n = 1; reached; ++n) {
    CAPTURE(n, number, for_good, segmented);
    log_history log{n, segmented};
    log.live(3); // so that there is something to go on with
    REQUIRE(log.well());
    log.disk.restart();
    const auto before = log.disk.calls();
    log.disk.fail_at(n, number, for_good);
    log.live(8);
    reached = log.disk.calls() >= before + n;
    CHECK(log.complaint().empty());
    if (log.error()) {
      CHECK(log.error()->code == protocol::errc::io_failed);
      CHECK(log.error()->file.starts_with("data"));
      CHECK_THAT(log.error()->message,
                 Catch::Contains(std::generic_category().message(number)));
    } else if (reached) {
      CHECK(is_harmless(log.disk.kind_of(before + n)));
    }
    // The disk works again, in the same kernel or after a loss of power.
    const auto acknowledged = log.acknowledged();
    if (n % 2 == 0)
      log.disk.restart();
    else
      log.disk.power_up();
    log.live(2);
    CHECK(log.complaint().empty());
    CHECK(log.well());
    CHECK(log.on_log() >= acknowledged);
    log.disk.power_up();
    log.live(1);
    CHECK(log.complaint().empty());
    CHECK(log.well());
  }
}

TEST_CASE("a call that waits for the disk hears that it failed") {
  frail_storage disk{1};
  const auto writer = event_log_writer::open(
    "data/events.jsonl", {.group_interval = 1h,
                          .durability = protocol::durability::group,
                          .files = &disk});
  REQUIRE(writer);
  disk.fail_at(1, ENOSPC, true);
  const auto place = (*writer)->append("{\"event_id\":1}\n");
  REQUIRE(place);
  int called = 0;
  std::string message;
  // On the writer's thread, where Catch2 cannot be asked.
  const auto note = [&](protocol::result<void> kept) {
    ++called;
    message = kept ? "kept" : kept.error().message;
  };
  (*writer)->call_when_kept(*place, note);
  REQUIRE_FALSE((*writer)->close());
  CHECK(called == 1);
  CHECK(message == "writing the log failed: No space left on device");
  CHECK((*writer)->kept() == 0);
  (*writer)->call_when_kept(*place, note);
  CHECK(called == 2);
}

TEST_CASE("what is not synced is not kept, however long it has been written") {
  frail_storage disk{1};
  const auto writer = event_log_writer::open(
    "data/events.jsonl", {.group_interval = 1h,
                          .durability = protocol::durability::group,
                          .files = &disk});
  REQUIRE(writer);
  std::mutex mutex;
  std::condition_variable changed;
  bool syncing = false;
  bool may_sync = false;
  disk.before_sync([&] {
    std::unique_lock lock{mutex};
    syncing = true;
    changed.notify_all();
    changed.wait(lock, [&] { return may_sync; });
  });
  const std::string line = "{\"event_id\":1}\n";
  const auto place = (*writer)->append(line);
  REQUIRE(place);
  std::atomic<bool> kept{false};
  (*writer)->call_when_kept(*place,
                            [&](protocol::result<void>) { kept = true; });
  std::unique_lock lock{mutex};
  changed.wait(lock, [&] { return syncing; });
  CHECK(disk.content("data/events.jsonl").find(line) != std::string::npos);
  CHECK_FALSE(kept);
  CHECK((*writer)->kept() == 0);
  may_sync = true;
  lock.unlock();
  changed.notify_all();
  REQUIRE((*writer)->flush());
  CHECK((*writer)->kept() == line.size());
  REQUIRE((*writer)->close());
  CHECK(kept);
}

TEST_CASE("every call is made once") {
  frail_storage disk{1};
  const auto writer = event_log_writer::open(
    "data/events.jsonl",
    {.durability = protocol::durability::group, .files = &disk});
  REQUIRE(writer);
  std::mutex mutex;
  std::vector<int> called;
  int lost = 0;
  for (int i = 0; i < 1000; ++i) {
    const auto place = (*writer)->append("{\"event_id\":1}\n");
    REQUIRE(place);
    (*writer)->call_when_kept(*place, [&, i](protocol::result<void> kept) {
      const std::lock_guard lock{mutex};
      called.push_back(i);
      if (!kept)
        ++lost;
    });
  }
  REQUIRE((*writer)->close());
  CHECK(lost == 0);
  std::ranges::sort(called);
  REQUIRE(called.size() == 1000);
  for (int i = 0; i < 1000; ++i)
    CHECK(called[static_cast<std::size_t>(i)] == i);
}
