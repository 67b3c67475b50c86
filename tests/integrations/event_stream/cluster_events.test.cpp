#include <catch2/catch.hpp>
#include <convene/integrations/event_stream/cluster_events.hpp>
#include <convene/protocol/base/uuid.hpp>
#include <convene/runtime/data/cluster/cluster_member.hpp>
#include <convene/runtime/data/cluster/fenced_log.hpp>
#include <convene/runtime/data/cluster/session_owners.hpp>
#include <convene/runtime/data/cluster/shared_removal.hpp>
#include <runtime/data/cluster/cluster_rig.hpp>

#include <string>
#include <vector>

using namespace convene;
using namespace convene::host;
using namespace convene::tests;

namespace {

/// The URL of a database without a cluster and without cursors.
std::string fresh_database() {
  auto url = fresh_cluster();
  if (!url.empty())
    value_of(connect(url).run("SET client_min_messages = warning; "
                              "DROP SCHEMA IF EXISTS convene CASCADE"));
  return url;
}

std::unique_ptr<stream_source> source_of(const std::string& url,
                                         const std::string& boot_id) {
  return value_of(
    open_cluster_events({.url = url}, [boot_id] { return boot_id; }));
}

void fill(fenced_log& log, const std::string& id,
          const std::vector<std::string_view>& lines) {
  CHECK(append(log, {{.session_id = id, .epoch = 1, .lines = lines}})
        == std::vector{append_end::kept});
}

const std::string first_id_uuid = "00000000-0000-0000-0000-000000000000";

} // namespace

TEST_CASE("cursors are kept, and none is taken back by a node that is behind") {
  const auto url = fresh_database();
  if (url.empty())
    return;
  const auto id = session_number(1);
  auto a = join(url, "a");
  auto in = connect(url);
  value_of(claim_sessions(in, a.boot_id(), {id}));
  auto log = log_of(url);
  fill(log, id, {"one", "two", "three"});
  const auto source = source_of(url, a.boot_id());
  stream_cursor row{.session_id = id, .length = 3};
  CHECK(value_of(source->cursors("s", {id})) == std::vector{row});
  row.acked = 2;
  row.settled = 1;
  row.server = "x";
  value_of(source->save("s", std::vector{row}));
  CHECK(value_of(source->cursors("s", {id})) == std::vector{row});
  CHECK(value_of(source->cursors("t", {id}))[0].acked == 0);
  auto behind = row;
  behind.acked = 1;
  behind.settled = 0;
  value_of(source->save("s", std::vector{behind}));
  CHECK(value_of(source->cursors("s", {id})) == std::vector{row});
  // Another run of the server may have lost what had not settled.
  behind.server = "y";
  value_of(source->save("s", std::vector{behind}));
  const auto now = value_of(source->cursors("s", {id}))[0];
  CHECK(now.acked == 1);
  CHECK(now.settled == 1);
  CHECK(now.server == "y");
}

TEST_CASE("events are read by their places, session by session") {
  const auto url = fresh_database();
  if (url.empty())
    return;
  auto a = join(url, "a");
  auto in = connect(url);
  const auto one = session_number(1);
  const auto two = session_number(2);
  value_of(claim_sessions(in, a.boot_id(), {one, two}));
  auto log = log_of(url);
  fill(log, one, {"1a", "1b", "1c"});
  fill(log, two, {"2a", "2b"});
  const auto source = source_of(url, a.boot_id());
  const auto lines = value_of(
    source->read(std::vector<stream_range>{{two, 2, 2}, {one, 2, 3}}));
  REQUIRE(lines.size() == 3);
  CHECK(lines[0].line == "2b");
  CHECK(lines[0].place == 2);
  CHECK(lines[1].line == "1b");
  CHECK(lines[2].line == "1c");
  CHECK(lines[2].session_id == one);
}

TEST_CASE("a node publishes its sessions, and one node what others have left") {
  const auto url = fresh_database();
  if (url.empty())
    return;
  auto a = join(url, "a");
  auto b = join(url, "b");
  auto c = join(url, "c");
  auto in = connect(url);
  const auto of_b = session_number(1);
  const auto left = session_number(2);
  const auto taken = session_number(3);
  value_of(claim_sessions(in, b.boot_id(), {of_b}));
  value_of(claim_sessions(in, c.boot_id(), {left, taken}));
  auto log = log_of(url);
  for (const auto& id : {of_b, left, taken})
    fill(log, id, {"one"});
  value_of(end_sessions(in, {{left, 1, 1}}));
  const auto unfinished = [&](const cluster_member& node) {
    std::vector<std::string> ids;
    for (const auto& each : value_of(
           source_of(url, node.boot_id())->unfinished("s", first_id_uuid, 10)))
      ids.push_back(each.session_id);
    std::ranges::sort(ids);
    return ids;
  };
  const auto list = [](std::vector<std::string> ids) {
    std::ranges::sort(ids);
    return ids;
  };
  CHECK(unfinished(a).empty());
  CHECK(unfinished(b) == list({of_b}));
  CHECK(unfinished(c) == list({left, taken}));
  const auto members = value_of(source_of(url, "")->members());
  value_of(c.leave());
  CHECK(value_of(source_of(url, "")->members()) != members);
  const bool is_a_first = a.boot_id() < b.boot_id();
  auto& first = is_a_first ? a : b;
  auto& second = is_a_first ? b : a;
  CHECK(unfinished(first) == (is_a_first ? list({left}) : list({left, of_b})));
  CHECK(unfinished(second)
        == (is_a_first ? list({of_b}) : std::vector<std::string>{}));
  stream_cursor done{.session_id = left,
                     .acked = 1,
                     .settled = 1,
                     .server = "x",
                     .length = 1,
                     .has_ended = true};
  value_of(source_of(url, "")->save("s", std::vector{done}));
  CHECK(unfinished(first)
        == (is_a_first ? std::vector<std::string>{} : list({of_b})));
}

TEST_CASE("an old session stays until its stream has all of it") {
  const auto url = fresh_database();
  if (url.empty())
    return;
  auto a = join(url, "a");
  auto in = connect(url);
  const auto id = session_number(1);
  value_of(claim_sessions(in, a.boot_id(), {id}));
  auto log = log_of(url);
  fill(log, id, {"one", "two", "three"});
  value_of(end_sessions(in, {{id, 1, 3}}));
  value_of(in.run("UPDATE convene_cluster.owners SET ended_at = "
                  "ended_at - interval '2 hours'"));
  const auto source = source_of(url, a.boot_id());
  const auto removed = [&](std::size_t events_max = removal_events_max) {
    return value_of(remove_ended(in, std::chrono::hours{1}, events_max, "new"));
  };
  CHECK(removed().events == 0);
  stream_cursor row{
    .session_id = id, .acked = 3, .settled = 3, .server = "x", .length = 3};
  value_of(source->save("old", std::vector{row}));
  row.settled = 2;
  value_of(source->save("new", std::vector{row}));
  CHECK(removed().events == 0);
  row.settled = 3;
  value_of(source->save("new", std::vector{row}));
  CHECK(removed(1).events == 1);
  // What is left is a beginning, also for a stream that is made now.
  CHECK(value_of(source->cursors("newer", {id}))[0].length == 2);
  CHECK(value_of(source->read(std::vector<stream_range>{{id, 1, 3}})).size()
        == 2);
  const auto rest = removed();
  CHECK(rest.events == 2);
  CHECK(rest.sessions == 1);
  CHECK(value_of(in.query("SELECT FROM convene.published_events")).empty());
}
