#include <convene/runtime/data/cluster/cluster_log.hpp>
#include <runtime/data/cluster/cluster_rig.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

using namespace convene::host;
using namespace convene::tests;

namespace {

std::string line_of(const std::string& session, int number,
                    const std::string& type = "x") {
  return R"({"event_type":")" + type + R"(","session_id":")" + session
         + R"(","number":)" + std::to_string(number) + "}\n";
}

using places = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

/// The log of a node, and another node.
struct logging_node {
  std::string url = fresh_cluster();
  cluster_member a = join(url, "a");
  cluster_member b = join(url, "b");
  postgres_connection in = connect(url);
  std::string first = session_number(1);
  std::string second = session_number(2);
  cluster_log log{value_of(cluster_database::open({.url = url}, true)),
                  value_of(cluster_database::open({.url = url}, true)),
                  a.boot_id()};
  std::vector<std::string> lost;
  places refused;

  logging_node() {
    log.on_lost = [this](const auto& sessions) { lost = sessions; };
    log.on_refused([this](std::uint64_t begin, std::uint64_t end) {
      refused.emplace_back(begin, end);
    });
  }

  std::vector<owned_session> taken_by_b() {
    value_of(in.query("UPDATE convene_cluster.nodes SET lease_until = "
                      "clock_timestamp() WHERE boot_id = $1::uuid",
                      {a.boot_id()}));
    return value_of(take_sessions(in, b.boot_id()));
  }

  std::size_t events_of(const std::string& session) const {
    auto log_of_it = log_of(url);
    return value_of(log_of_it.read(session, 1, 100)).size();
  }
};

} // namespace

TEST_CASE("sessions become a node's with their first events, which the "
          "database has before the own log") {
  if (!postgres_server::is_installed())
    return;
  logging_node node;
  const auto lines = line_of(node.first, 1) + line_of(node.second, 1)
                     + line_of(node.first, 2);
  CHECK(!value_of(node.log.pass(lines)));
  CHECK(node.events_of(node.first) == 2);
  CHECK(node.events_of(node.second) == 1);
  CHECK(node.log.counts().sessions == 2);
  CHECK(value_of(sessions_of(node.in, node.a.boot_id())).size() == 2);
}

TEST_CASE("lines of a session that another node has are left out, and others "
          "are not") {
  if (!postgres_server::is_installed())
    return;
  logging_node node;
  value_of(node.log.pass(line_of(node.first, 1)));
  const auto before = line_of(node.first, 1).size();
  CHECK(node.taken_by_b().size() == 1);
  CHECK(
    value_of(claim_sessions(node.in, node.b.boot_id(), {node.second})).size()
    == 1);
  auto other = join(node.url, "c");
  node.log.join(other.boot_id());
  const auto third = session_number(3);
  const auto left = value_of(node.log.pass(
    line_of(node.first, 2) + line_of(third, 1) + line_of(node.second, 1)));
  REQUIRE(left);
  CHECK(*left == line_of(third, 1));
  const auto one = line_of(node.first, 2).size();
  CHECK(
    node.refused
    == places{{before, before + one}, {before + 2 * one, before + 3 * one}});
  CHECK(node.lost == std::vector{node.first, node.second});
  CHECK(node.log.counts().fenced == 1);
  CHECK(node.events_of(node.first) == 1);
  CHECK(node.events_of(node.second) == 0);
}

TEST_CASE("lines of a session that was taken pass as far as the database has "
          "them") {
  if (!postgres_server::is_installed())
    return;
  logging_node node;
  value_of(node.log.pass(line_of(node.first, 1) + line_of(node.first, 2)));
  const auto taken = node.taken_by_b();
  REQUIRE(taken.size() == 1);
  cluster_log b{value_of(cluster_database::open({.url = node.url}, true)),
                value_of(cluster_database::open({.url = node.url}, true)),
                node.b.boot_id()};
  b.found(node.first, 1);
  CHECK(b.take_over(taken.front()) == 1U);
  CHECK(!value_of(b.pass(line_of(node.first, 2) + line_of(node.first, 3))));
  CHECK(node.events_of(node.first) == 3);
  CHECK(!value_of(b.pass(line_of(node.first, 4, "MAPSessionCompleted"))));
  CHECK(b.held().empty());
  const auto ended = b.ended();
  REQUIRE(ended.size() == 1);
  CHECK(ended.front() == owned_session{node.first, 2, 4});
}

TEST_CASE("a node that joins again keeps its sessions, except for those that "
          "were taken") {
  if (!postgres_server::is_installed())
    return;
  logging_node node;
  value_of(node.log.pass(line_of(node.first, 1)));
  const auto before = node.log.held();
  CHECK(node.taken_by_b().size() == 1);
  auto again = join(node.url, "c");
  node.log.join(again.boot_id());
  value_of(node.log.pass(line_of(node.second, 1)));
  const auto held = node.log.held();
  auto third = join(node.url, "d");
  value_of(keep_sessions(node.in, third.boot_id(), held));
  const auto lost = value_of(lost_sessions(node.in, held));
  REQUIRE(lost.size() == 1);
  CHECK(lost.front() == owned_session{node.first, 1, 1});
  const auto mine = value_of(sessions_of(node.in, third.boot_id()));
  REQUIRE(mine.size() == 1);
  CHECK(mine.front() == owned_session{node.second, 1, 1});
  CHECK(node.log.lose({{node.first, 2, 0}}).empty()); // another epoch
  CHECK(node.log.lose(
          {{node.first, 1, 0}, {node.second, 1, 0}, {session_number(9), 1, 0}})
        == std::vector{node.first, node.second});
  CHECK(node.log.lose({{node.first, 1, 0}}).empty());
  CHECK(before.size() == 1);
}
