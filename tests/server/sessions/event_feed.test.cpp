#include <catch2/catch.hpp>
#include <convene/server/sessions/event_feed.hpp>
#include <fcntl.h>
#include <runtime/event_log/files.hpp>
#include <sys/stat.h>
#include <unistd.h>

#include <future>
#include <thread>

using namespace convene;
using namespace convene::server;
using namespace convene::tests;

TEST_CASE("what must be done is done once there is room, in its turn") {
  host::blocking_pool pool{{.threads = 1, .queue = 1}};
  const auto feed = std::make_shared<event_feed>("none", pool);
  std::promise<void> begun;
  std::promise<void> end;
  REQUIRE(feed->run([&, over = end.get_future().share()] {
    begun.set_value();
    over.wait();
    throw 1; // there is room all the same
  }));
  begun.get_future().wait();
  REQUIRE(feed->run([] {}));
  REQUIRE_FALSE(feed->run([] {}));
  std::string order;
  std::promise<void> done;
  feed->run_in_turn([&order] { order += 'a'; });
  feed->run_in_turn([&order] { order += 'b'; });
  feed->run_in_turn([&] { done.set_value(); });
  end.set_value();
  done.get_future().wait();
  CHECK(order == "ab");
}

TEST_CASE("events are taken while older ones are read from a slow disk") {
  const scratch_folder folder;
  const auto slow = (folder / "slow").string();
  REQUIRE(::mkfifo(slow.c_str(), 0600) == 0); // it opens when there is a writer
  event_places places{folder / "log"};
  const host::log_place first{slow, 0, 0, 1, 0};
  places.add("s", first, 4);
  std::promise<void> reads;
  std::thread reader{[&] {
    std::vector<std::string> lines;
    reads.set_value();
    static_cast<void>(places.read("s", 0, {}, lines));
  }};
  reads.get_future().wait();
  std::this_thread::sleep_for(std::chrono::milliseconds{50}); // it waits by now
  auto added = std::async(std::launch::async, [&] {
    places.add("s", {slow, 0, 0, 2, 5}, 4);
  });
  const auto taken = added.wait_for(std::chrono::seconds{20});
  // Whoever waits goes on.
  const int writer = ::open(slow.c_str(), O_RDWR | O_CLOEXEC);
  reader.join();
  ::close(writer);
  CHECK(taken == std::future_status::ready);
}
