#include "cluster_rig.hpp"

using namespace convene::host;
using namespace convene::tests;

namespace {

cluster_member join_at(const std::string& url, const std::string& name,
                       const std::string& peer) {
  return value_of(
    cluster_member::join({.url = url}, {.name = name,
                                        .version = "1",
                                        .address = "http://" + peer,
                                        .peer_address = "https://" + peer,
                                        .labels = {}}));
}

} // namespace

TEST_CASE(
  "a session is found at its owner, and where the owner has started again") {
  const auto url = fresh_cluster();
  if (url.empty())
    return;
  const auto id = session_number(1);
  const auto other = session_number(2);
  auto a = join_at(url, "a", "10.0.0.1:1");
  static_cast<void>(join_at(url, "b", "10.0.0.2:1"));
  auto in = connect(url);
  CHECK(value_of(find_sessions(in, {id})).empty());
  CHECK(value_of(claim_sessions(in, a.boot_id(), {id})).size() == 1);
  const session_place place{.session_id = id,
                            .node = "a",
                            .address = "http://10.0.0.1:1",
                            .peer_address = "https://10.0.0.1:1",
                            .is_member = true,
                            .boot_id = a.boot_id()};
  CHECK(value_of(find_sessions(in, {id, other})) == std::vector{place});
  value_of(a.leave());
  auto gone = place;
  gone.is_member = false;
  CHECK(value_of(find_sessions(in, {id})) == std::vector{gone});
  const auto again = join_at(url, "a", "10.0.0.3:1");
  const auto now = value_of(find_sessions(in, {id}));
  REQUIRE(now.size() == 1);
  CHECK(now[0].peer_address == "https://10.0.0.3:1");
  CHECK(now[0].is_member);
  CHECK(now[0].boot_id == again.boot_id());
}

TEST_CASE(
  "tables of the version before are brought up to date by the next node") {
  const auto url = fresh_cluster();
  if (url.empty())
    return;
  static_cast<void>(join_at(url, "a", "10.0.0.1:1"));
  auto in = connect(url);
  value_of(in.run("ALTER TABLE convene_cluster.nodes DROP COLUMN peer_address; "
                  "DROP TABLE convene_cluster.blobs; "
                  "DROP INDEX convene_cluster.owners_of_node; "
                  "ALTER TABLE convene_cluster.owners DROP COLUMN ended_at; "
                  "DROP TABLE convene_cluster.blob_uses; "
                  "UPDATE convene_cluster.about SET tables_version = 1"));
  CHECK(rule_of_failure(cluster_database::open({.url = url}, false))
        == cluster_rule::tables);
  static_cast<void>(join_at(url, "b", "10.0.0.2:1"));
  auto again = connect(url);
  const auto all = value_of(list_nodes(again));
  REQUIRE(all.size() == 2);
  CHECK(all[0].is.peer_address.empty());
  CHECK(all[1].is.peer_address == "https://10.0.0.2:1");
}
