#include <catch2/catch.hpp>
#include <convene/server/sessions/event_feed.hpp>

#include <future>

using namespace convene;
using namespace convene::server;

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
