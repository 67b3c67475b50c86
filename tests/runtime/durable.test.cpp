// What the facade says and does before and after events are on the disk.

#include "sample.hpp"

#include <catch2/catch.hpp>
#include <convene/runtime/engine.hpp>
#include <runtime/log/event_log/frail_storage.hpp>

#include <condition_variable>

using namespace convene;
using namespace convene::tests;
using protocol::errc;

namespace {

constexpr const char* path = "data/events.jsonl";

/// A runtime that writes to `disk`.
std::unique_ptr<convene::runtime> open_on(frail_storage& disk, durability kept,
                                          host::log_options log = {}) {
  log.durability = kept;
  log.files = &disk;
  auto opened = host::runtime_access::open(
    {.log = path, .durability = kept, .validation = validation_level::off},
    nullptr, log);
  REQUIRE(opened);
  return *std::move(opened);
}

/// Lets syncs wait until it is opened.
class barrier {
public:
  explicit barrier(frail_storage& disk) {
    disk.before_sync([this] {
      std::unique_lock lock{mutex_};
      waiting_ = true;
      changed_.notify_all();
      changed_.wait(lock, [this] { return open_; });
    });
  }

  void close() {
    const std::lock_guard lock{mutex_};
    open_ = waiting_ = false;
  }

  void await() {
    std::unique_lock lock{mutex_};
    changed_.wait(lock, [this] { return waiting_; });
  }

  void open() {
    {
      const std::lock_guard lock{mutex_};
      open_ = true;
    }
    changed_.notify_all();
  }

private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool waiting_ = false;
  bool open_ = true;
};

bool has(const std::string& text, std::string_view word) {
  return text.find(word) != std::string::npos;
}

} // namespace

TEST_CASE("a session's end is told once its last event is on the disk") {
  const auto kept = GENERATE(durability::group, durability::strict);
  frail_storage disk{1};
  barrier syncs{disk};
  const auto rt = open_on(disk, kept);
  for (int i = 0; i < 20; ++i) {
    const auto session = rt->start(two_in(mode::pair));
    const auto ended = session.await();
    REQUIRE(ended);
    // Whoever has been told can lose power.
    CHECK(has(disk.on_disk(path), "MAPSessionCompleted\",\"event_family\":"
                                  "\"GraphUpdateEvent\",\"session_id\":\""
                                    + session.id()));
  }
  syncs.close();
  const auto last = rt->start(two_in(mode::pair));
  syncs.await();
  CHECK_FALSE(last.await_for(std::chrono::milliseconds{0}));
  syncs.open();
  CHECK(last.await());
}

TEST_CASE("a subscriber gets an event once it is on the disk") {
  frail_storage disk{1};
  barrier syncs{disk};
  const auto rt = open_on(disk, durability::group);
  const auto to = rt->subscribe();
  REQUIRE(to);
  syncs.close();
  const auto session = rt->start(two_in(mode::pair));
  syncs.await();
  CHECK_FALSE(to->next_for(std::chrono::milliseconds{0}));
  syncs.open();
  REQUIRE(session.await());
  const auto first = to->next();
  REQUIRE(first);
  CHECK(has(disk.on_disk(path), *std::get<event_delivered>(*first).line));
}

TEST_CASE("in strict a function is called only for what is on the disk") {
  frail_storage disk{1};
  const auto rt = open_on(disk, durability::strict);
  std::atomic<int> asked{0};
  std::atomic<int> too_early{0};
  const auto looks = [&](const turn_request& turn) {
    ++asked;
    if (!has(disk.on_disk(path), "\"token_id\":\"" + turn.token))
      ++too_early;
    return reply{.content = "seen"};
  };
  const auto ended = rt->start({.participants = {agent("a", "role", looks),
                                                 agent("b", "role", looks)},
                                .task = "look",
                                .options = {.rounds = 5}})
                       .await();
  REQUIRE(ended);
  CHECK(asked == 10);
  CHECK(too_early == 0);
}

TEST_CASE("an error of the disk stops the sessions, and all is there after") {
  const auto [number, text]
    = GENERATE(table<int, const char*>({{ENOSPC, "No space left on device"},
                                        {EIO, "Input/output error"},
                                        {EROFS, "Read-only file system"}}));
  const std::uint64_t call = GENERATE(range(1, 12));
  frail_storage disk{call};
  std::vector<std::string> told; // who was said to have ended
  {
    const auto rt = open_on(disk, durability::group);
    disk.fail_at(call, number, true);
    for (int i = 0; i < 30; ++i) {
      const auto session = rt->start(two_in(mode::pair));
      const auto ended = session.await();
      if (ended) {
        told.push_back(session.id());
        continue;
      }
      CHECK(ended.error().code == errc::io_failed);
      CHECK(ended.error().file == path);
      CHECK(has(ended.error().message, text));
    }
  }
  disk.power_up();
  std::string log;
  const auto again = host::event_log_writer::open(
    path, {.existing = host::existing_log::append, .files = &disk},
    [&](const auto&, std::string_view line) { log.append(line) += '\n'; });
  REQUIRE(again);
  for (const auto& id : told)
    CHECK(has(log, "MAPSessionCompleted\",\"event_family\":"
                   "\"GraphUpdateEvent\",\"session_id\":\""
                     + id));
  CHECK((*again)->append("{\"event_id\":1}\n"));
  CHECK((*again)->close());
}

TEST_CASE("a log with little room slows sessions down and stops none") {
  const auto kept = GENERATE(durability::none, durability::group);
  frail_storage disk{1};
  const auto rt = open_on(disk, kept, {.buffer_bytes = 32 << 10});
  std::vector<session_handle> sessions;
  for (int i = 0; i < 200; ++i)
    sessions.push_back(rt->start(two_in(mode::round_robin)));
  for (const auto& session : sessions)
    CHECK(session.await());
}

TEST_CASE("under virtual time ends are kept as well, and are the same") {
  const scratch_folder folder;
  std::set<std::string> logs;
  for (const auto kept :
       {durability::none, durability::group, durability::strict}) {
    const auto log = folder / std::string{protocol::to_word(kept)};
    convene::runtime rt{{.log = log, .durability = kept, .seed = 7}};
    std::string lines;
    CHECK(rt.start(simulated_in(mode::swarm, 1),
                   {.observer = [&](auto, auto more) { lines += more; }})
            .await());
    CHECK(rt.close());
    logs.insert(lines);
  }
  CHECK(logs.size() == 1);
}

TEST_CASE("a folder is written in segments, a second runtime kept out") {
  const scratch_folder folder;
  std::filesystem::create_directories(folder / "log");
  const runtime_options how{.log = folder / "log", .log_segment_bytes = 4096};
  {
    convene::runtime rt{how};
    const auto second = convene::runtime::open(how);
    REQUIRE_FALSE(second);
    CHECK(second.error().rule == "log_locked");
    for (int i = 0; i < 5; ++i)
      CHECK(rt.start(two_in(mode::pair)).await());
    REQUIRE(rt.close());
  }
  const auto contents = host::read_log(folder / "log");
  REQUIRE(contents);
  CHECK(contents->summary.files.size() > 2);
  std::size_t sessions = 0;
  CHECK(findings_in(folder / "log", sessions).empty());
  CHECK(sessions == 5);
}
