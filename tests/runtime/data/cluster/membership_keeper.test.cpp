#include <convene/runtime/data/cluster/membership_keeper.hpp>
#include <runtime/data/cluster/cluster_rig.hpp>

#include <atomic>
#include <chrono>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

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
