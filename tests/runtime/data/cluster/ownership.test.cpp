#include <convene/runtime/data/cluster/append_attempt.hpp>
#include <runtime/data/cluster/cluster_rig.hpp>
#include <runtime/data/cluster/lossy_proxy.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

using namespace convene::host;
using namespace convene::tests;

namespace {

/// Two nodes; the first owns a session.
struct pair_of_nodes {
  std::string url = fresh_cluster();
  cluster_member a = join(url, "a");
  cluster_member b = join(url, "b");
  postgres_connection in = connect(url);
  std::string session = session_number(1);
  fenced_log log = log_of(url);

  pair_of_nodes() {
    value_of(claim_sessions(in, a.boot_id(), {session}));
  }

  fenced_events events(std::int64_t epoch, std::int64_t place,
                       std::vector<std::string_view> lines) const {
    return {session, epoch, place, std::move(lines)};
  }
};

using kept_lines = std::vector<std::string>;
using ends = std::vector<append_end>;

/// Appends with the old epoch while a take-over is not committed, and commits
/// it once the append waits or is done. Returns what `append` returned.
template <class Append>
auto append_during_take_over(pair_of_nodes& nodes, Append append) {
  value_of(nodes.in.run("BEGIN"));
  value_of(nodes.in.query("UPDATE convene_cluster.owners SET epoch = 2, "
                          "boot_id = $1::uuid",
                          {nodes.b.boot_id()}));
  value_of(nodes.in.query("SELECT max(place) FROM convene_cluster.events"));
  std::atomic<bool> is_done = false;
  decltype(append()) ended;
  {
    const std::jthread other{[&] {
      ended = append();
      is_done = true;
    }};
    auto watch = connect(nodes.url);
    wait_for_waiters(watch, 1, is_done);
    value_of(nodes.in.run("COMMIT"));
  }
  return ended;
}

} // namespace

TEST_CASE(
  "a session has one owner, and only a lapsed lease gives it to another") {
  if (!postgres_server::is_installed())
    return;
  pair_of_nodes nodes;
  CHECK(value_of(claim_sessions(nodes.in, nodes.b.boot_id(), {nodes.session}))
          .empty());
  CHECK(value_of(take_sessions(nodes.in, nodes.b.boot_id())).empty());
  append(nodes.log, {nodes.events(1, 1, {"x", "y"})});
  lapse(nodes.in, nodes.a.boot_id());
  const std::vector<owned_session> taken{{nodes.session, 2, 2}};
  CHECK(value_of(take_sessions(nodes.in, nodes.b.boot_id())) == taken);
  CHECK(value_of(sessions_of(nodes.in, nodes.b.boot_id())) == taken);
  CHECK(value_of(sessions_of(nodes.in, nodes.a.boot_id())).empty());
}

TEST_CASE("nodes that are up share what a lost one had") {
  if (!postgres_server::is_installed())
    return;
  pair_of_nodes nodes;
  std::vector<std::string> ids;
  for (int i = 2; i <= 900; ++i)
    ids.push_back(session_number(i));
  REQUIRE(value_of(claim_sessions(nodes.in, nodes.a.boot_id(),
                                  {ids.begin(), ids.end()}))
            .size()
          == 899);
  const auto c = value_of(cluster_member::join(
    {.url = nodes.url},
    {.name = "c", .version = "1", .address = {}, .labels = {}}));
  const auto left = value_of(next_lapse(nodes.in, nodes.b.boot_id()));
  REQUIRE(left);
  CHECK(left->count() > 0);
  lapse(nodes.in, nodes.a.boot_id());
  const auto take = [&](const std::string& id) {
    return value_of(take_sessions(nodes.in, id, 1'000, true)).size();
  };
  CHECK(take(nodes.b.boot_id()) == 451);
  CHECK(take(c.boot_id()) == 225);
  CHECK(take(nodes.b.boot_id()) == 113);
  CHECK(take(nodes.b.boot_id()) == 100); // no fewer
  CHECK(take(nodes.b.boot_id()) == 11);
  CHECK(take(c.boot_id()) == 0);
}

TEST_CASE("a node without a lease takes and claims nothing") {
  if (!postgres_server::is_installed())
    return;
  pair_of_nodes nodes;
  lapse(nodes.in, nodes.a.boot_id());
  lapse(nodes.in, nodes.b.boot_id());
  const auto other = session_number(2);
  CHECK(value_of(take_sessions(nodes.in, nodes.b.boot_id())).empty());
  CHECK(value_of(claim_sessions(nodes.in, nodes.b.boot_id(), {other})).empty());
}

TEST_CASE("what a node leaves is taken at once, and what has ended is not") {
  if (!postgres_server::is_installed())
    return;
  pair_of_nodes nodes;
  const auto other = session_number(2);
  const auto both = value_of(
    claim_sessions(nodes.in, nodes.a.boot_id(), {nodes.session, other}));
  REQUIRE(both.size() == 2);
  value_of(end_sessions(nodes.in, {{other, 1, 0}, {nodes.session, 7, 0}}));
  value_of(nodes.a.leave());
  CHECK(value_of(take_sessions(nodes.in, nodes.b.boot_id()))
        == std::vector<owned_session>{{nodes.session, 2, 0}});
  CHECK(value_of(nodes.in.query("SELECT epoch FROM convene_cluster.owners "
                                "WHERE has_ended"))
          .number(0, 0)
        == 1);
}

TEST_CASE("nodes that take over at the same time get each session once") {
  if (!postgres_server::is_installed())
    return;
  pair_of_nodes nodes;
  constexpr unsigned sessions = 1'000;
  constexpr unsigned racers = 4;
  std::vector<std::string> ids;
  for (unsigned i = 1; i <= sessions; ++i)
    ids.push_back(session_number(i));
  value_of(
    claim_sessions(nodes.in, nodes.a.boot_id(), {ids.begin(), ids.end()}));
  std::vector<cluster_member> members;
  for (unsigned i = 0; i < racers; ++i)
    members.push_back(join(nodes.url, "racer" + std::to_string(i)));
  lapse(nodes.in, nodes.a.boot_id());
  std::vector<std::vector<owned_session>> taken(racers);
  {
    std::vector<std::jthread> all;
    for (unsigned i = 0; i < racers; ++i)
      all.emplace_back([&, i] {
        auto in = postgres_connection::open({.url = nodes.url});
        for (int calls = 0; in && calls < 60; ++calls)
          if (auto some = take_sessions(*in, members[i].boot_id(), 50))
            std::ranges::move(*some, std::back_inserter(taken[i]));
      });
  }
  std::set<std::string> seen;
  for (const auto& each : taken)
    for (const auto& one : each) {
      CHECK(one.epoch == 2);
      CHECK(seen.insert(one.id).second);
    }
  CHECK(seen.size() == sessions);
}

TEST_CASE("an append counts only with the owner's epoch, session by session") {
  if (!postgres_server::is_installed())
    return;
  pair_of_nodes nodes;
  const auto other = session_number(2);
  value_of(claim_sessions(nodes.in, nodes.a.boot_id(), {other}));
  lapse(nodes.in, nodes.a.boot_id());
  value_of(take_sessions(nodes.in, nodes.b.boot_id(), 1));
  const auto taken = value_of(sessions_of(nodes.in, nodes.b.boot_id())).front();
  const auto left = taken.id == other ? nodes.session : other;
  const auto unknown = session_number(3);
  CHECK(append(nodes.log, {{taken.id, 1, 1, {"old"}},
                           {left, 1, 1, {"a", "b"}},
                           {unknown, 1, 1, {"nobody's"}},
                           {left, 1, 3, {}}})
        == ends{append_end::fenced, append_end::kept, append_end::fenced,
                append_end::kept});
  CHECK(append(nodes.log, {{taken.id, 2, 1, {"new"}}})
        == ends{append_end::kept});
  CHECK(lines_of(nodes.log, taken.id) == kept_lines{"2:new"});
  CHECK(lines_of(nodes.log, left) == kept_lines{"1:a", "1:b"});
  CHECK(lines_of(nodes.log, unknown).empty());
}

TEST_CASE("a lease that has lapsed does not keep the owner from appending") {
  if (!postgres_server::is_installed())
    return;
  pair_of_nodes nodes;
  lapse(nodes.in, nodes.a.boot_id());
  CHECK(append(nodes.log, {nodes.events(1, 1, {"x"})})
        == ends{append_end::kept});
}

TEST_CASE("a former owner is fenced while the take-over is not yet committed") {
  if (!postgres_server::is_installed())
    return;
  pair_of_nodes nodes;
  const auto ended = append_during_take_over(nodes, [&] {
    return nodes.log
      .append(std::vector{nodes.events(1, 1, {"late"})},
              std::chrono::steady_clock::now() + much_later)
      .value_or(ends{});
  });
  CHECK(ended == ends{append_end::fenced});
  CHECK(lines_of(nodes.log, nodes.session).empty());
}

TEST_CASE(
  "without the lock such an append gets in, which is why there is one") {
  if (!postgres_server::is_installed())
    return;
  pair_of_nodes nodes;
  auto other = connect(nodes.url);
  const auto added = append_during_take_over(nodes, [&]() -> std::int64_t {
    const auto done = other.query(
      "INSERT INTO convene_cluster.events "
      "SELECT session_id, 1, 1, 'late' "
      "FROM convene_cluster.owners WHERE epoch = 1");
    return done ? done->affected() : -1;
  });
  CHECK(added == 1);
}

TEST_CASE("an append whose backend was killed is done once") {
  if (!postgres_server::is_installed())
    return;
  pair_of_nodes nodes;
  value_of(nodes.in.run("BEGIN"));
  value_of(nodes.in.query("SELECT FROM convene_cluster.owners FOR UPDATE"));
  ends ended;
  std::atomic<bool> is_done = false;
  {
    const std::jthread other{[&] {
      ended = append(nodes.log, {nodes.events(1, 1, {"a", "b"})});
      is_done = true;
    }};
    auto watch = connect(nodes.url);
    wait_for_waiters(watch, 1, is_done);
    value_of(watch.query("SELECT pg_terminate_backend(pid) "
                         "FROM pg_stat_activity WHERE wait_event_type = 'Lock' "
                         "AND datname = current_database()"));
    value_of(nodes.in.run("COMMIT"));
  }
  CHECK(ended == ends{append_end::kept});
  CHECK(lines_of(nodes.log, nodes.session) == kept_lines{"1:a", "1:b"});
}

TEST_CASE(
  "a statement that continues after its connection is lost counts once") {
  if (!postgres_server::is_installed())
    return;
  pair_of_nodes nodes;
  lossy_proxy proxy{nodes.url};
  auto log = log_of(proxy.url());
  value_of(nodes.in.run("BEGIN"));
  value_of(nodes.in.query("SELECT FROM convene_cluster.owners FOR UPDATE"));
  ends ended;
  std::atomic<bool> is_done = false;
  {
    const std::jthread other{[&] {
      ended = append(log, {nodes.events(1, 1, {"a", "b"})});
      is_done = true;
    }};
    auto watch = connect(nodes.url);
    wait_for_waiters(watch, 1, is_done);
    proxy.cut(); // it reads nothing on the log, and appends once more
    wait_for_waiters(watch, 2, is_done);
    value_of(nodes.in.run("COMMIT"));
  }
  CHECK(ended == ends{append_end::kept});
  CHECK(lines_of(nodes.log, nodes.session) == kept_lines{"1:a", "1:b"});
}

TEST_CASE(
  "a refusal after an unknown outcome does not hide what was appended") {
  if (!postgres_server::is_installed())
    return;
  const bool is_killed = GENERATE(false, true);
  pair_of_nodes nodes;
  lossy_proxy proxy{nodes.url};
  auto far = connect(proxy.url());
  auto near = connect(nodes.url);
  auto watch = connect(nodes.url);
  const std::vector groups{nodes.events(1, 1, {"a"})};
  append_attempt attempt{groups};
  std::atomic<bool> is_done = false;
  value_of(nodes.in.run("BEGIN"));
  value_of(nodes.in.query("SELECT FROM convene_cluster.owners FOR UPDATE"));
  {
    const std::jthread other{[&] {
      static_cast<void>(attempt.advance(far));
      is_done = true;
    }};
    wait_for_waiters(watch, 1, is_done);
    proxy.cut();
  }
  value_of(attempt.advance(near)); // reads that nothing is there
  REQUIRE(!attempt.is_done());
  if (is_killed)
    value_of(watch.query("SELECT pg_terminate_backend(pid, 60000) "
                         "FROM pg_stat_activity WHERE wait_event_type = 'Lock' "
                         "AND datname = current_database()"));
  value_of(nodes.in.run("COMMIT"));
  while (!is_killed && lines_of(nodes.log, nodes.session).empty())
    std::this_thread::sleep_for(std::chrono::milliseconds{2});
  lapse(nodes.in, nodes.a.boot_id());
  REQUIRE(value_of(take_sessions(nodes.in, nodes.b.boot_id())).size() == 1);
  value_of(attempt.advance(near)); // is refused
  REQUIRE(!attempt.is_done());
  value_of(attempt.advance(near)); // and reads again
  REQUIRE(attempt.is_done());
  CHECK(attempt.ends()
        == ends{is_killed ? append_end::fenced : append_end::kept});
}

TEST_CASE("an append waits for a server that is killed and starts again") {
  if (!postgres_server::is_installed())
    return;
  postgres_server server;
  const auto url = server.fresh_database();
  const auto a = join(url, "a");
  const auto session = session_number(1);
  auto log = log_of(url);
  {
    auto in = connect(url);
    value_of(claim_sessions(in, a.boot_id(), {session}));
  }
  server.kill();
  ends ended;
  {
    const std::jthread other{[&] {
      ended = append(log, {{session, 1, 1, {"a"}}});
    }};
    server.start();
  }
  CHECK(ended == ends{append_end::kept});
  CHECK(lines_of(log, session) == kept_lines{"1:a"});
}

TEST_CASE("other events at the place fence an owner that does not know them") {
  if (!postgres_server::is_installed())
    return;
  pair_of_nodes nodes;
  append(nodes.log, {nodes.events(1, 1, {"a", "b"})});
  CHECK(append(nodes.log, {nodes.events(1, 2, {"c"})})
        == ends{append_end::fenced});
  CHECK(append(nodes.log, {nodes.events(1, 1, {"a", "b"})})
        == ends{append_end::kept});
  CHECK(lines_of(nodes.log, nodes.session) == kept_lines{"1:a", "1:b"});
}

TEST_CASE("an append that is stopped returns why it did not end") {
  if (!postgres_server::is_installed())
    return;
  pair_of_nodes nodes;
  lossy_proxy proxy{nodes.url};
  auto log = log_of(proxy.url());
  proxy.cut();
  std::stop_source stop;
  stop.request_stop();
  const auto ended = log.append(std::vector{nodes.events(1, 1, {"a"})},
                                std::chrono::steady_clock::now() + much_later,
                                stop.get_token());
  REQUIRE(!ended);
  CHECK(is_passing(ended.error()));
}

TEST_CASE("an append that is too large is refused, and nothing is sent") {
  if (!postgres_server::is_installed())
    return;
  pair_of_nodes nodes;
  const std::vector<std::string_view> lines(append_lines_max + 1, "x");
  const auto ended
    = nodes.log.append(std::vector{nodes.events(1, 1, lines)},
                       std::chrono::steady_clock::now() + much_later);
  CHECK(rule_of_failure(ended) == "append_max");
  CHECK(lines_of(nodes.log, nodes.session).empty());
}
