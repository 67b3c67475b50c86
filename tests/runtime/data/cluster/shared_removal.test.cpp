#include "cluster_rig.hpp"

#include <convene/runtime/data/cluster/shared_removal.hpp>

using namespace convene::host;
using namespace convene::tests;
using std::chrono::hours;

namespace {

/// Sessions 1, 2, ... of a node, with events and blobs.
struct kept_sessions {
  std::string url = fresh_cluster();
  std::optional<cluster_member> a;
  std::optional<postgres_connection> in;

  kept_sessions() {
    if (url.empty())
      return;
    a = value_of(cluster_member::join(
      {.url = url},
      {.name = "a", .version = "1", .address = {}, .labels = {}}));
    in = connect(url);
  }

  void add(int number, int events) {
    const auto id = session_number(number);
    CHECK(value_of(claim_sessions(*in, a->boot_id(), {id})).size() == 1);
    value_of(in->query("INSERT INTO convene_cluster.events "
                       "(session_id, place, epoch, line) "
                       "SELECT $1::uuid, n, 1, '{}' "
                       "FROM generate_series(1, $2) n",
                       {id, std::int64_t{events}}));
  }

  void use(int number, std::string_view blob) {
    value_of(in->query("INSERT INTO convene_cluster.blobs VALUES "
                       "($1, 'x', clock_timestamp() - interval '2 hours') "
                       "ON CONFLICT DO NOTHING",
                       {blob}));
    value_of(in->query("INSERT INTO convene_cluster.blob_uses VALUES "
                       "($1::uuid, $2)",
                       {session_number(number), blob}));
  }

  void end(int number, int hours_ago) {
    value_of(end_sessions(*in, {{session_number(number), 1, 0}}));
    value_of(in->query("UPDATE convene_cluster.owners SET ended_at = "
                       "ended_at - $2 * interval '1 hour' "
                       "WHERE session_id = $1::uuid",
                       {session_number(number), std::int64_t{hours_ago}}));
  }

  std::int64_t count(const char* table) {
    return value_of(in->ask((std::string{"SELECT count(*)::text FROM "
                                         "convene_cluster."}
                             + table)
                              .c_str()))
             .text(0, 0)
             .front()
           - '0';
  }
};

} // namespace

TEST_CASE("only sessions that ended long ago are removed, in parts") {
  kept_sessions of;
  if (of.url.empty())
    return;
  of.add(1, 4);
  of.add(2, 2);
  of.add(3, 1);
  of.end(1, 50);
  of.end(2, 1);
  const auto first = value_of(remove_ended(*of.in, hours{48}, 3));
  CHECK(first.events == 3);
  CHECK(first.sessions == 0);
  CHECK(first.more);
  const auto second = value_of(remove_ended(*of.in, hours{48}, 3));
  CHECK(second.events == 1);
  CHECK(second.sessions == 1);
  CHECK(!second.more);
  CHECK(value_of(remove_ended(*of.in, hours{48}, 3)).sessions == 0);
  CHECK(of.count("events") == 3);
  CHECK(of.count("owners") == 2);
}

TEST_CASE("a blob goes with the last session that refers to it") {
  kept_sessions of;
  if (of.url.empty())
    return;
  of.add(1, 1);
  of.add(2, 1);
  of.use(1, "shared");
  of.use(2, "shared");
  of.use(1, "own");
  of.end(1, 50);
  CHECK(value_of(remove_ended(*of.in, hours{48})).blobs == 1);
  CHECK(of.count("blobs") == 1);
  of.end(2, 50);
  CHECK(value_of(remove_ended(*of.in, hours{48})).blobs == 1);
  CHECK(of.count("blobs") == 0);
  CHECK(of.count("blob_uses") == 0);
}

TEST_CASE("one node at a time removes what is old") {
  kept_sessions of;
  if (of.url.empty())
    return;
  of.add(1, 1);
  of.end(1, 50);
  auto other = connect(of.url);
  value_of(other.run("BEGIN"));
  value_of(other.ask("SELECT pg_advisory_xact_lock("
                     "hashtext('convene_cluster removal'))"));
  CHECK(value_of(remove_ended(*of.in, hours{48})).sessions == 0);
  value_of(other.run("COMMIT"));
  CHECK(value_of(remove_ended(*of.in, hours{48})).sessions == 1);
}
