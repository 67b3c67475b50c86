#include <catch2/catch.hpp>
#include <convene/runtime/blocking_pool.hpp>

#include <atomic>
#include <future>
#include <memory>
#include <stdexcept>

using convene::host::blocking_pool;

namespace {

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
  blocking_pool pool{1, 100};
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
  blocking_pool pool{2, 0};
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
  blocking_pool pool{1, 2};
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
  blocking_pool pool{0, 10};
  CHECK_FALSE(pool.try_submit([] {}));
}

TEST_CASE("a job that throws does not stop its thread") {
  std::promise<void> last;
  blocking_pool pool{1, 1};
  REQUIRE(pool.try_submit([] { throw std::runtime_error{"no"}; }));
  REQUIRE(pool.try_submit([&last] { last.set_value(); }));
  CHECK_NOTHROW(last.get_future().get());
}

TEST_CASE("a pool that ends drops the jobs that wait") {
  const auto marker = std::make_shared<int>();
  std::atomic<bool> ran = false;
  gate busy;
  std::thread opener; // opens the gate when the waiting job is dropped
  {
    blocking_pool pool{1, 1, std::chrono::minutes{1}};
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
    blocking_pool pool{1, 0, std::chrono::minutes{1}};
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
    blocking_pool pool{2, 0, std::chrono::milliseconds{1}};
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
    blocking_pool pool{4, 1000, std::chrono::minutes{1}};
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
