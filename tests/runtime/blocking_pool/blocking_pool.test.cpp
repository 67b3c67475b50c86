#include <catch2/catch.hpp>
#include <convene/runtime/blocking_pool/blocking_pool.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

using convene::host::blocking_pool;

namespace {

/// Jobs end when a test lets them, however slow their threads are: none is left
/// behind while it still uses what the test has.
constexpr std::chrono::minutes patient{1};

/// A job that runs until `open` is called.
struct gate {
  std::promise<void> opener;
  std::shared_future<void> opened = opener.get_future().share();
  std::promise<void> starter;
  std::future<void> started = starter.get_future();

  std::function<void()> job() {
    return [this] {
      starter.set_value();
      opened.wait();
    };
  }

  void open() {
    opener.set_value();
  }
};

} // namespace

TEST_CASE("a pool runs what it accepts, in order") {
  std::vector<int> ran;
  std::promise<void> last;
  blocking_pool pool{{.threads = 1, .queue = 100, .grace = patient}};
  for (int i = 0; i < 100; ++i)
    REQUIRE(pool.try_submit([&ran, i] { ran.push_back(i); }));
  while (!pool.try_submit([&last] { last.set_value(); }))
    std::this_thread::yield();
  last.get_future().wait();
  std::vector<int> expected(100);
  for (int i = 0; i < 100; ++i)
    expected[static_cast<std::size_t>(i)] = i;
  CHECK(ran == expected);
}

TEST_CASE("a pool runs as many jobs at once as it has threads") {
  gate one;
  gate two;
  blocking_pool pool{{.threads = 2, .queue = 0, .grace = patient}};
  REQUIRE(pool.try_submit(one.job()));
  REQUIRE(pool.try_submit(two.job()));
  one.started.wait();
  two.started.wait();
  one.open();
  two.open();
}

TEST_CASE("a pool refuses what its queue has no room for") {
  gate busy;
  std::atomic<int> ran = 0;
  blocking_pool pool{{.threads = 1, .queue = 2, .grace = patient}};
  REQUIRE(pool.try_submit(busy.job()));
  CHECK(pool.try_submit([&] { ++ran; }));
  CHECK(pool.try_submit([&] { ++ran; }));
  CHECK_FALSE(pool.try_submit([&] { ran = 100; }));
  busy.started.wait();
  CHECK_FALSE(pool.try_submit([&] { ran = 100; }));
  busy.open();
  std::promise<void> last;
  while (!pool.try_submit([&last] { last.set_value(); }))
    std::this_thread::yield();
  last.get_future().wait();
  CHECK(ran == 2);
}

TEST_CASE("a pool without threads refuses everything") {
  blocking_pool pool{{.threads = 0, .queue = 10, .grace = patient}};
  CHECK_FALSE(pool.try_submit([] {}));
}

TEST_CASE("a job that throws does not stop its thread") {
  std::promise<void> last;
  blocking_pool pool{{.threads = 1, .queue = 1, .grace = patient}};
  REQUIRE(pool.try_submit([] { throw std::runtime_error{"no"}; }));
  REQUIRE(pool.try_submit([&last] { last.set_value(); }));
  CHECK_NOTHROW(last.get_future().get());
}

TEST_CASE("a job that is abandoned before it begins never does") {
  gate busy;
  std::atomic<bool> ran = false;
  std::promise<void> last;
  const auto marker = std::make_shared<int>();
  blocking_pool pool{{.threads = 1, .queue = 2, .grace = patient}};
  REQUIRE(pool.try_submit(busy.job()) != 0);
  busy.started.wait();
  const auto waits = pool.try_submit([&ran, marker] { ran = true; });
  REQUIRE(waits != 0);
  REQUIRE(pool.try_submit([&last] { last.set_value(); }) != 0);
  CHECK(pool.waiting() == 2);
  pool.abandon(waits);
  CHECK(pool.waiting() == 1);
  CHECK(marker.use_count() == 1);
  CHECK(pool.hung() == 0);
  busy.open();
  last.get_future().wait();
  CHECK_FALSE(ran);
}

TEST_CASE("an abandoned job that hangs does not keep others from running") {
  gate hangs;
  std::promise<void> other;
  blocking_pool pool{{.threads = 1, .queue = 1, .grace = patient}};
  const auto id = pool.try_submit(hangs.job());
  REQUIRE(id != 0);
  hangs.started.wait();
  REQUIRE(pool.try_submit([&other] { other.set_value(); }) != 0);
  pool.abandon(id);
  other.get_future().wait();
  CHECK(pool.hung() == 1);
  hangs.open();
  while (pool.hung() != 0)
    std::this_thread::yield();
  // A job that has ended, or never was, cannot be abandoned.
  pool.abandon(id);
  pool.abandon(12345);
  CHECK(pool.hung() == 0);
}

TEST_CASE(
  "only so many threads are replaced, then work waits, and is refused") {
  std::array<gate, 3> hangs;
  std::promise<void> other;
  blocking_pool pool{
    {.threads = 1, .queue = 1, .replacements = 2, .grace = patient}};
  for (auto& each : hangs) {
    const auto id = pool.try_submit(each.job());
    REQUIRE(id != 0);
    each.started.wait();
    pool.abandon(id);
  }
  CHECK(pool.hung() == 3);
  REQUIRE(pool.try_submit([&other] { other.set_value(); }) != 0);
  CHECK(pool.try_submit([] {}) == 0);
  hangs[1].open();
  other.get_future().wait();
  hangs[0].open();
  hangs[2].open();
}

TEST_CASE("a pool that threads come back to has as many as before") {
  blocking_pool pool{
    {.threads = 2, .queue = 100, .replacements = 2, .grace = patient}};
  for (int round = 0; round < 50; ++round) {
    std::array<gate, 4> hangs;
    for (auto& each : hangs) {
      auto id = pool.try_submit(each.job());
      REQUIRE(id != 0);
      each.started.wait();
      pool.abandon(id);
    }
    for (auto& each : hangs)
      each.open();
    while (pool.hung() != 0)
      std::this_thread::yield();
  }
  std::atomic<int> at_once = 0;
  std::atomic<int> most = 0;
  std::vector<std::future<void>> all;
  for (int n = 0; n < 50; ++n) {
    auto done = std::make_shared<std::promise<void>>();
    all.push_back(done->get_future());
    REQUIRE(pool.try_submit([&, done] {
      const auto now = ++at_once;
      most = std::max(most.load(), now);
      std::this_thread::sleep_for(std::chrono::microseconds{200});
      --at_once;
      done->set_value();
    }) != 0);
  }
  for (auto& each : all)
    each.wait();
  CHECK(most <= 2);
}

TEST_CASE("a pool that ends drops the jobs that wait") {
  const auto marker = std::make_shared<int>();
  std::atomic<bool> ran = false;
  gate busy;
  std::thread opener; // opens the gate when the waiting job is dropped
  {
    blocking_pool pool{{.threads = 1, .queue = 1, .grace = patient}};
    REQUIRE(pool.try_submit(busy.job()));
    REQUIRE(pool.try_submit([&busy, &ran, marker] { ran = true; }));
    REQUIRE(marker.use_count() == 2);
    busy.started.wait();
    opener = std::thread{[&] {
      while (marker.use_count() > 1)
        std::this_thread::yield();
      busy.open();
    }};
  }
  opener.join();
  CHECK(marker.use_count() == 1);
  CHECK_FALSE(ran);
}

TEST_CASE("a pool that ends waits for the jobs that run") {
  std::atomic<bool> ended = false;
  gate busy;
  std::thread opener;
  {
    blocking_pool pool{{.threads = 1, .queue = 0, .grace = patient}};
    REQUIRE(pool.try_submit([&, job = busy.job()] {
      job();
      ended = true;
    }));
    busy.started.wait();
    opener = std::thread{[&] { busy.open(); }};
  }
  CHECK(ended);
  opener.join();
}

TEST_CASE("a pool that ends abandons a job that hangs") {
  struct owned {
    gate busy;
    std::promise<void> ended;
  };
  const auto state = std::make_shared<owned>();
  auto ended = state->ended.get_future();
  {
    blocking_pool pool{
      {.threads = 2, .queue = 0, .grace = std::chrono::milliseconds{1}}};
    REQUIRE(pool.try_submit([state] {
      state->busy.job()();
      state->ended.set_value();
    }));
    state->busy.started.wait();
  }
  // it still hangs, and goes on unharmed after the pool is gone
  state->busy.open();
  CHECK_NOTHROW(ended.get());
}

TEST_CASE("many threads may submit at once") {
  std::atomic<int> ran = 0;
  std::atomic<int> accepted = 0;
  {
    blocking_pool pool{{.threads = 4, .queue = 1000, .grace = patient}};
    std::vector<std::thread> submitters;
    for (int i = 0; i < 4; ++i)
      submitters.emplace_back([&] {
        for (int n = 0; n < 250; ++n)
          if (pool.try_submit([&] { ++ran; }))
            ++accepted;
      });
    for (auto& one : submitters)
      one.join();
    while (ran < accepted)
      std::this_thread::yield();
  }
  CHECK(accepted == 1000);
  CHECK(ran == 1000);
}
