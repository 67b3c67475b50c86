#include <catch2/catch.hpp>
#include <convene/runtime/outside/http/parting_threads.hpp>

#include <future>

using namespace convene::host;

TEST_CASE("the end of parting threads waits for them") {
  std::promise<void> go;
  bool is_over = false;
  auto held = std::make_shared<int>();
  {
    parting_threads threads;
    threads.take(std::jthread{[&, may_go = go.get_future()] {
                   may_go.wait();
                   is_over = true;
                 }},
                 held);
    go.set_value();
  }
  CHECK(is_over);
}

TEST_CASE("a thread that parts after all others were waited for is taken") {
  const auto held = std::make_shared<int>();
  bool is_over = false;
  parting_threads threads;
  threads.wait();
  threads.take(std::jthread{[&] { is_over = true; }}, held);
  threads.wait();
  CHECK(is_over);
}

TEST_CASE("a parting thread that holds nothing is waited for by the next one") {
  parting_threads threads;
  bool is_over = false;
  {
    const auto held = std::make_shared<int>();
    threads.take(std::jthread{[&] { is_over = true; }}, held);
  }
  const auto held = std::make_shared<int>();
  threads.take(std::jthread{[] {}}, held);
  CHECK(is_over);
}

TEST_CASE("a parting thread may end its like") {
  auto threads = std::make_unique<parting_threads>();
  const auto held = std::make_shared<int>();
  std::promise<void> taken;
  std::promise<void> gone;
  std::jthread thread{[&, may_go = taken.get_future()] {
    may_go.wait();
    threads.reset();
    gone.set_value_at_thread_exit();
  }};
  threads->take(std::move(thread), held);
  taken.set_value();
  gone.get_future().wait();
  CHECK(threads == nullptr);
}
