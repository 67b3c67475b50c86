#include <catch2/catch.hpp>
#include <convene/runtime/log/event_bus/subscriber.hpp>
#include <convene/runtime/log/event_log/writer.hpp>
#include <convene/server/sessions/log_follower.hpp>
#include <runtime/log/event_log/files.hpp>

#include <atomic>
#include <future>
#include <mutex>

using namespace convene;
using namespace convene::tests;

namespace {

std::string line_of(int number) {
  return R"({"event_id":")" + std::to_string(number) + R"(","session_id":"s"})";
}

/// A log of events, and a subscription that tells of them when it is told to.
struct log_fixture {
  scratch_folder folder;
  std::shared_ptr<host::subscriber> queue
    = std::make_shared<host::subscriber>(server::counting_subscription());
  std::mutex mutex;
  std::vector<std::string> shown;
  std::atomic<std::size_t> count = 0;
  std::promise<std::optional<protocol::error>> ended;

  explicit log_fixture(int events) {
    auto log = host::event_log_writer::open(folder / "log.jsonl").value();
    for (int i = 0; i < events; ++i)
      REQUIRE(log->append(line_of(i) + '\n'));
    REQUIRE(log->close());
  }

  std::unique_ptr<server::log_follower> follow(std::uint64_t found) {
    auto made = server::log_follower::open(
      folder / "log.jsonl", found, subscription{queue},
      {.event =
         [this](const host::log_place&, std::string_view line) {
           const std::lock_guard held{mutex};
           shown.emplace_back(line);
         },
       .pause =
         [this] {
           const std::lock_guard held{mutex};
           count = shown.size();
           count.notify_all();
         },
       .end =
         [this](std::optional<protocol::error> why) {
           ended.set_value(std::move(why));
         }});
    if (!made)
      FAIL(to_string(made.error()));
    return *std::move(made);
  }

  void tell_of(int events) {
    for (int i = 0; i < events; ++i)
      queue->push({.number = 1, .line = std::make_shared<const std::string>()});
  }

  void await(std::size_t events) {
    for (auto now = count.load(); now < events; now = count.load())
      count.wait(now);
  }
};

} // namespace

TEST_CASE("a log is shown up to the last durable event, and no further") {
  log_fixture at{10};
  auto follower = at.follow(3);
  CHECK(at.shown.size() == 3);
  at.tell_of(2);
  at.await(5);
  // A log that fails is told apart from a runtime that is closed.
  const bool fails = GENERATE(true, false);
  at.queue->end(fails ? subscription_end::log_failed
                      : subscription_end::runtime_closed);
  const auto why = at.ended.get_future().get();
  REQUIRE(why.has_value() == fails);
  if (fails)
    CHECK(why->rule == "log_failed");
  follower.reset();
  REQUIRE(at.shown.size() == 5);
  for (int i = 0; i < 5; ++i)
    CHECK(at.shown[static_cast<std::size_t>(i)] == line_of(i));
}

TEST_CASE("however many events come at once, a follower misses none") {
  constexpr int events = 5000;
  log_fixture at{events};
  auto follower = at.follow(0);
  std::thread other{[&] { at.tell_of(events / 2); }};
  at.tell_of(events / 2);
  other.join();
  at.await(events);
  at.queue->end(subscription_end::runtime_closed);
  follower.reset();
  CHECK(at.shown.size() == events);
  CHECK(at.shown.back() == line_of(events - 1));
}

TEST_CASE("a follower that cannot read the log says why, and ends") {
  log_fixture at{10};
  auto follower = at.follow(3);
  auto bytes = read_bytes(at.folder / "log.jsonl");
  {
    auto log
      = host::event_log_writer::open(at.folder / "log.jsonl",
                                     {.existing = host::existing_log::append})
          .value();
    REQUIRE(log->append(line_of(10) + '\n'));
    REQUIRE(log->close());
  }
  bytes = read_bytes(at.folder / "log.jsonl");
  bytes[bytes.rfind("event_id") + 12] ^= 1;
  write_bytes(at.folder / "log.jsonl", bytes);
  at.tell_of(8);
  const auto why = at.ended.get_future().get();
  REQUIRE(why);
  CHECK(why->rule == "log_damaged");
}
