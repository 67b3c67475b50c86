#include "fake_stream.hpp"

#include <catch2/catch.hpp>
#include <convene/integrations/event_stream/event_publisher.hpp>

#include <cstdlib>
#include <iostream>
#include <random>
#include <thread>

using namespace convene;
using namespace convene::host;
using namespace convene::tests;
using namespace std::chrono_literals;

namespace {

constexpr auto sync_time = 100ms;

/// A node that publishes to the server.
struct publishing_node {
  fake_logs& logs;
  std::shared_ptr<stream_inbox> inbox = std::make_shared<stream_inbox>();
  std::mutex mutex = {};
  std::vector<std::string> reports = {};
  std::unique_ptr<event_publisher> publisher = {};

  publishing_node(fake_server& to, fake_logs& from, spool_limits spool = {})
    : logs{from} {
    spool.settle_time = 2 * sync_time;
    publisher = std::make_unique<event_publisher>(
      publisher_options{
        .stream = "events", .spool = spool, .answer_time = 300ms},
      std::make_unique<fake_link>(to), std::make_unique<fake_source>(from),
      inbox, std::stop_source{}, [this](std::string_view what) {
        const std::lock_guard held{mutex};
        reports.emplace_back(what);
      });
  }

  void append(const std::string& id, const std::string& event) {
    inbox->add(id, logs.append(id, event));
  }
  bool has_reported(std::string_view what) {
    const std::lock_guard held{mutex};
    return std::ranges::any_of(reports, [&](const std::string& each) {
      return each.find(what) != each.npos;
    });
  }
};

template <class Condition>
void await_that(Condition&& is_so) {
  const auto until = std::chrono::steady_clock::now() + 60s;
  while (!is_so()) {
    REQUIRE(std::chrono::steady_clock::now() < until);
    std::this_thread::sleep_for(1ms);
  }
}

std::set<std::string> all_ids(std::uint64_t through) {
  std::set<std::string> ids;
  for (std::uint64_t i = 1; i <= through; ++i)
    ids.insert("e" + std::to_string(i));
  return ids;
}

} // namespace

TEST_CASE("events of a log are published, and the next publisher continues") {
  fake_server server{0ms};
  fake_logs logs;
  {
    publishing_node a{server, logs};
    for (int i = 1; i <= 500; ++i)
      a.append("s", "e" + std::to_string(i));
    await_that([&] { return server.ids() == all_ids(500); });
    await_that([&] { return a.publisher->counts().acked == 500; });
    CHECK(a.publisher->counts().published == 500);
    CHECK(a.publisher->counts().lag_events == 0);
    CHECK(a.publisher->counts().is_connected);
  }
  CHECK(logs.cursor("s").acked == 500);
  publishing_node b{server, logs};
  b.append("s", "e501");
  await_that([&] { return server.ids() == all_ids(501); });
  await_that([&] { return b.publisher->counts().acked == 1; });
  CHECK(b.publisher->counts().published == 1);
}

TEST_CASE("what was appended while no server answers is published later") {
  fake_server server{0ms};
  fake_logs logs;
  server.set_away(true);
  publishing_node a{server, logs, {.events_max = 16}};
  for (int i = 1; i <= 300; ++i)
    a.append("s", "e" + std::to_string(i));
  await_that([&] { return a.has_reported("it is away"); });
  await_that([&] { return a.publisher->counts().failures > 0; });
  CHECK(server.ids().empty());
  CHECK(!a.publisher->counts().is_connected);
  server.set_away(false);
  await_that([&] { return server.ids() == all_ids(300); });
  await_that([&] { return a.has_reported("go out again"); });
}

TEST_CASE("a server that takes messages and does not answer is left") {
  fake_server server{0ms};
  fake_logs logs;
  server.set_mute(true);
  publishing_node a{server, logs};
  a.append("s", "e1");
  await_that([&] { return a.has_reported("has not answered"); });
  server.set_mute(false);
  await_that([&] { return server.ids() == all_ids(1); });
  CHECK(a.publisher->counts().resent > 0);
}

TEST_CASE("a stream that refuses events gets them once it takes them") {
  fake_server server{0ms};
  fake_logs logs;
  server.set_full(true);
  publishing_node a{server, logs};
  a.append("s", "e1");
  await_that(
    [&] { return a.has_reported("refuses events, which wait: full"); });
  server.set_full(false);
  await_that([&] { return server.ids() == all_ids(1); });
}

TEST_CASE("a session that was removed from the log is reported and forgotten") {
  fake_server server{0ms};
  fake_logs logs;
  server.set_away(true);
  publishing_node a{server, logs};
  for (const auto* event : {"e2", "e3"})
    a.append("gone", event);
  a.append("kept", "e1");
  {
    const std::lock_guard held{logs.mutex};
    logs.lines["gone"].clear();
  }
  server.set_away(false);
  await_that([&] { return a.has_reported("removed from the log"); });
  await_that([&] { return server.ids() == all_ids(1); });
  await_that([&] { return a.publisher->counts().lag_events == 0; });
  CHECK(a.has_reported("session gone from number 1"));
}

TEST_CASE("sessions without an announcement are looked up") {
  fake_server server{0ms};
  fake_logs logs;
  logs.append("s", "e1");
  logs.append("t", "e2");
  logs.mine = {"s", "t"};
  publishing_node a{server, logs};
  await_that([&] { return server.ids() == all_ids(2); });
}

TEST_CASE("no event is lost by losses of servers, logs and publishers") {
  const auto* const given = std::getenv("CONVENE_SEED");
  const auto seed = given != nullptr ? std::strtoul(given, nullptr, 10)
                                     : std::random_device{}();
  std::cout << "seed " << seed << '\n';
  std::mt19937 random{static_cast<std::mt19937::result_type>(seed)};
  const auto pick = [&](unsigned most) { return random() % most; };
  fake_server server{sync_time};
  fake_logs logs;
  auto node = std::make_unique<publishing_node>(server, logs,
                                                spool_limits{.events_max = 32});
  std::uint64_t events = 0;
  for (int round = 0; round < 60; ++round) {
    for (auto left = pick(40); left != 0; --left)
      node->append("s" + std::to_string(pick(4)),
                   "e" + std::to_string(++events));
    std::this_thread::sleep_for(std::chrono::milliseconds{pick(40)});
    switch (pick(6)) {
      case 0:
        server.kill();
        break;
      case 1:
        server.cut();
        break;
      case 2:
        server.set_away(pick(2) == 0);
        break;
      case 3:
        server.set_full(pick(2) == 0);
        break;
      case 4: {
        const std::lock_guard held{logs.mutex};
        logs.is_away = pick(4) == 0;
        break;
      }
      default:
        node = std::make_unique<publishing_node>(
          server, logs, spool_limits{.events_max = 32});
        const std::lock_guard held{logs.mutex};
        for (const auto& [id, lines] : logs.lines)
          logs.mine.insert(id);
    }
  }
  server.set_away(false);
  server.set_full(false);
  {
    const std::lock_guard held{logs.mutex};
    logs.is_away = false;
  }
  for (int i = 0; i < 4; ++i)
    node->append("s" + std::to_string(i), "e" + std::to_string(++events));
  await_that([&] { return server.ids() == all_ids(events); });
  for (int i = 0; i < 10; ++i) { // lost after they were acknowledged
    node->append("s0", "e" + std::to_string(++events));
    await_that([&] { return server.ids() == all_ids(events); });
    std::this_thread::sleep_for(sync_time / 10);
    server.kill();
  }
  await_that([&] { return server.ids() == all_ids(events); });
}
