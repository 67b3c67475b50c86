#include <convene/runtime/data/cluster/membership_keeper.hpp>
#include <runtime/data/cluster/cluster_rig.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

using namespace convene::host;
using namespace convene::tests;

namespace {

/// Lists the nodes until they are as `expected` says.
template <class Expected>
cluster_node node_when(const std::string& url, Expected expected) {
  auto in = connect(url);
  for (;;) {
    for (auto& one : value_of(list_nodes(in)))
      if (expected(one))
        return std::move(one);
    std::this_thread::sleep_for(std::chrono::milliseconds{5});
  }
}

bool is_member(const cluster_node& one) {
  return one.lease.count() > 0;
}

} // namespace

TEST_CASE(
  "a kept membership is renewed, reports its state and ends by itself") {
  const auto url = fresh_cluster();
  if (url.empty())
    return;
  auto member = value_of(cluster_member::join(
    {.url = url}, {.name = "a", .version = "1", .address = {}, .labels = {}},
    std::chrono::milliseconds{600}));
  std::atomic<int> renewals = 0;
  {
    const membership_keeper keeper{std::move(member),
                                   [&]() -> node_state {
                                     return {.address = "http://a",
                                             .sessions = ++renewals};
                                   },
                                   [](std::string_view) {}};
    const auto seen = node_when(url, [](const cluster_node& one) {
      return one.sessions > 2;
    });
    CHECK(seen.is.address == "http://a");
    CHECK(is_member(seen));
  }
  auto in = connect(url);
  const auto left = value_of(list_nodes(in));
  REQUIRE(left.size() == 1);
  CHECK(!is_member(left.front()));
}

TEST_CASE("a node whose lease has lapsed joins again under another id") {
  const auto url = fresh_cluster();
  if (url.empty())
    return;
  auto member = value_of(cluster_member::join(
    {.url = url}, {.name = "a", .version = "1", .address = {}, .labels = {}},
    std::chrono::milliseconds{600}));
  const auto first = member.boot_id();
  std::mutex mutex;
  std::string reports;
  {
    const membership_keeper keeper{
      std::move(member), [] { return node_state{.address = "http://a"}; },
      [&](std::string_view one) {
        const std::lock_guard lock{mutex};
        reports += one;
      }};
    auto in = connect(url);
    lapse(in, first);
    const auto again = node_when(url, [&](const cluster_node& one) {
      return one.boot_id != first && is_member(one)
             && one.is.address == "http://a";
    });
    CHECK(again.is.name == "a");
  }
  CHECK_THAT(reports, Catch::Contains("joined the cluster again"));
}

TEST_CASE("a membership outlasts a restart of the database") {
  if (!postgres_server::is_installed())
    return;
  postgres_server server;
  const auto url = server.fresh_database();
  auto member = join(url, "a");
  const auto first = member.boot_id();
  std::atomic<int> asked = 0;
  const membership_keeper keeper{std::move(member),
                                 [&]() -> node_state {
                                   ++asked;
                                   return {.address = "http://a"};
                                 },
                                 [](std::string_view) {}};
  while (asked < 1)
    std::this_thread::sleep_for(std::chrono::milliseconds{5});
  server.kill();
  server.start();
  const auto seen = node_when(url, [](const cluster_node& one) {
    return one.is.address == "http://a";
  });
  CHECK(seen.boot_id == first);
}

TEST_CASE("a node reports each reason why its lease cannot be renewed, once") {
  if (!postgres_server::is_installed())
    return;
  postgres_server server;
  const auto url = server.fresh_database();
  std::mutex mutex;
  std::vector<std::string> reports;
  std::atomic<int> tried = 0;
  const auto wait_for = [&](std::string_view part) {
    for (;;) {
      {
        const std::lock_guard lock{mutex};
        for (const auto& one : reports)
          if (one.find(part) != std::string::npos)
            return;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds{5});
    }
  };
  const membership_keeper keeper{
    value_of(cluster_member::join(
      {.url = url}, {.name = "a", .version = "1", .address = {}, .labels = {}},
      std::chrono::milliseconds{600})),
    [&]() -> node_state {
      ++tried;
      return {.address = "http://a"};
    },
    [&](std::string_view one) {
      const std::lock_guard lock{mutex};
      reports.emplace_back(one);
    }};
  {
    auto in = connect(url);
    value_of(in.run("DROP SCHEMA convene_cluster CASCADE"));
    wait_for("42P01"); // there is no such table
    for (const int before = tried; tried < before + 3;)
      std::this_thread::sleep_for(std::chrono::milliseconds{5});
  }
  server.kill();
  wait_for("connection");
  const std::lock_guard lock{mutex};
  CHECK(std::ranges::count_if(reports,
                              [](const std::string& one) {
                                return one.find("42P01") != std::string::npos;
                              })
        == 1);
}

TEST_CASE("a node that stops does not wait for a database that is mute") {
  if (!postgres_server::is_installed())
    return;
  postgres_server server;
  const auto url = server.fresh_database();
  // The statement waits for this lock for much longer than the test may take.
  auto blocker = connect(url);
  std::atomic<int> asked = 0;
  auto member = value_of(cluster_member::join(
    {.url = url,
     .statement_timeout = std::chrono::hours{1},
     .grace = std::chrono::hours{1}},
    {.name = "a", .version = "1", .address = {}, .labels = {}},
    std::chrono::milliseconds{600}));
  value_of(blocker.run("BEGIN; LOCK TABLE convene_cluster.nodes"));
  {
    const membership_keeper keeper{std::move(member),
                                   [&]() -> node_state {
                                     ++asked;
                                     return {.address = "http://a"};
                                   },
                                   [](std::string_view) {}};
    auto in = connect(url);
    wait_for_waiters(in, 1, false);
  }
  value_of(blocker.run("ROLLBACK"));
  CHECK(asked == 1);
}
