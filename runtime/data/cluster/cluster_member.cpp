#include <convene/protocol/base/uuid.hpp>
#include <convene/runtime/data/cluster/cluster_error.hpp>
#include <convene/runtime/data/cluster/cluster_member.hpp>

#include <utility>

namespace convene::host {

using namespace protocol;

namespace {

std::string random_boot_id() {
  return to_string(uuid_source::from_entropy().next());
}

/// Joined by commas, which no label has.
std::string labels_text(const node_description& of) {
  std::string text;
  for (const auto& [name, value] : of.labels)
    text.append(text.empty() ? "" : ",").append(name + "=" + value);
  return text;
}

/// No other node joins until the transaction ends; renewals do not wait.
result<void> lock_members(postgres_connection& in) {
  return in.query("SELECT FROM convene_cluster.about FOR UPDATE")
    .map([](const auto&) {});
}

/// Those that have been away for a day and have no session, not even one that
/// has ended: it is found by its node's name. No index has ended sessions, so
/// this may read all owners; it runs when a node joins.
result<void> remove_old_nodes(postgres_connection& in) {
  return in
    .query("DELETE FROM convene_cluster.nodes n "
           "WHERE n.lease_until < clock_timestamp() - interval '1 day' "
           "AND NOT EXISTS (SELECT FROM convene_cluster.owners o "
           "WHERE o.boot_id = n.boot_id)")
    .map([](const auto&) {});
}

error unlike(const postgres_rows& other, const node_description& who) {
  const std::string version{other.text(0, 1)};
  const auto theirs = "node \"" + std::string{other.text(0, 0)} + "\" at \""
                      + std::string{other.text(0, 2)} + "\" runs convene "
                      + version;
  return {.code = errc::unsupported,
          .message = (version != who.version
                        ? theirs + ", and this node " + who.version
                        : theirs + " with other schemas")
                     + ": all nodes of a cluster run the same program; stop "
                       "the other nodes first, or use their version",
          .rule = std::string{cluster_rule::unlike},
          .value = version};
}

error name_taken(const postgres_rows& other, const node_description& who) {
  return {.code = errc::usage,
          .message = "the cluster has a node \"" + who.name
                     + "\" already, at \"" + std::string{other.text(0, 0)}
                     + "\", with a lease of another "
                     + std::to_string(other.number(0, 1))
                     + " ms: choose another name with --node, or wait if that "
                       "node was killed",
          .rule = std::string{cluster_rule::name_taken},
          .value = who.name};
}

/// Whether the node may be a member beside the others.
result<void> check_members(postgres_connection& in,
                           const node_description& who) {
  const auto members = in.query("SELECT count(*) FROM convene_cluster.nodes "
                                "WHERE lease_until > clock_timestamp()");
  if (!members)
    return fail(members.error());
  if (members->number(0, 0) >= std::int64_t{cluster_nodes_max})
    return fail(errc::limit_reached,
                "a cluster has at most " + std::to_string(cluster_nodes_max)
                  + " nodes",
                std::string{cluster_rule::nodes_max});
  const auto other
    = in.query("SELECT name, version, address FROM convene_cluster.nodes "
               "WHERE lease_until > clock_timestamp() "
               "AND (version <> $1 OR schemas <> $2) ORDER BY name LIMIT 1",
               {who.version, embedded_schemas_hash()});
  if (!other)
    return fail(other.error());
  if (!other->empty())
    return fail(unlike(*other, who));
  const auto same
    = in.query("SELECT address, (extract(epoch FROM lease_until - "
               "clock_timestamp()) * 1000)::int8 FROM convene_cluster.nodes "
               "WHERE lease_until > clock_timestamp() AND name = $1 LIMIT 1",
               {who.name});
  if (!same)
    return fail(same.error());
  return same->empty() ? result<void>{} : fail(name_taken(*same, who));
}

} // namespace

cluster_member::cluster_member(cluster_database database, node_description who,
                               std::chrono::milliseconds lease)
  : database_{std::move(database)}, who_{std::move(who)}, lease_{lease} {}

result<cluster_member> cluster_member::join(const postgres_options& database,
                                            node_description who,
                                            std::chrono::milliseconds lease) {
  if (auto right = check_description(who); !right)
    return fail(std::move(right).error());
  auto opened = cluster_database::open(database, true);
  if (!opened)
    return fail(std::move(opened).error());
  cluster_member made{*std::move(opened), std::move(who), lease};
  if (auto done = made.join_again(); !done)
    return fail(std::move(done).error());
  return made;
}

result<void> cluster_member::join_again() {
  const auto in = database_.connection();
  if (!in)
    return fail(in.error());
  boot_id_ = random_boot_id();
  const auto until = std::chrono::steady_clock::now() + lease_;
  return (*in)->in_transaction("BEGIN", [&] { return enroll(**in); }).map([&] {
    leased_until_ = until;
  });
}

result<void> cluster_member::enroll(postgres_connection& in) {
  auto done = lock_members(in)
                .and_then([&] { return remove_old_nodes(in); })
                .and_then([&] { return check_members(in, who_); });
  if (!done)
    return done;
  return in
    .query(
      "INSERT INTO convene_cluster.nodes (boot_id, name, version, schemas, "
      "address, peer_address, labels, started, lease_until) VALUES "
      "($1::uuid, $2, $3, $4, $5, $6, $7, clock_timestamp(), "
      "clock_timestamp() + $8 * interval '1 ms')",
      {boot_id_, who_.name, who_.version, embedded_schemas_hash(), who_.address,
       who_.peer_address, labels_text(who_), std::int64_t{lease_.count()}})
    .map([](const auto&) {});
}

result<void> cluster_member::renew(const node_state& now) {
  who_.address = now.address;
  who_.peer_address = now.peer_address;
  if (auto right = check_description(who_); !right)
    return right;
  const auto in = database_.connection();
  if (!in)
    return fail(in.error());
  const auto until = std::chrono::steady_clock::now() + lease_;
  const auto renewed = (*in)->query(
    "UPDATE convene_cluster.nodes SET lease_until = "
    "clock_timestamp() + $2 * interval '1 ms', "
    "address = $3, sessions = $4, peer_address = $5 WHERE boot_id = $1::uuid "
    "AND lease_until > clock_timestamp()",
    {boot_id_, std::int64_t{lease_.count()}, now.address, now.sessions,
     now.peer_address});
  if (!renewed)
    return fail(renewed.error());
  if (renewed->affected() == 0)
    return fail(errc::not_allowed,
                "the lease of node \"" + who_.name
                  + "\" has lapsed: it was not renewed in time, and other "
                    "nodes may have taken its sessions; start the node again",
                std::string{cluster_rule::lapsed});
  leased_until_ = until;
  return {};
}

result<void> cluster_member::leave() {
  const auto in = database_.connection();
  if (!in)
    return fail(in.error());
  leased_until_ = {};
  return (*in)
    ->query("WITH gone AS (UPDATE convene_cluster.nodes "
            "SET lease_until = clock_timestamp() "
            "WHERE boot_id = $1::uuid AND lease_until > clock_timestamp() "
            "RETURNING 1) SELECT pg_notify($2, '')::text FROM gone",
            {boot_id_, handed_over})
    .map([](const auto&) {});
}

result<std::vector<cluster_node>> list_nodes(postgres_connection& in) {
  const auto rows = in.query(
    "SELECT n.boot_id::text, n.name, n.version, n.schemas, n.address, "
    "n.labels, (extract(epoch FROM n.started) * 1000)::int8, "
    "(extract(epoch FROM n.lease_until - clock_timestamp()) * 1000)::int8, "
    "n.sessions, n.peer_address, "
    "EXISTS (SELECT FROM convene_cluster.nodes b "
    "JOIN convene_cluster.owners o ON o.boot_id = b.boot_id "
    "WHERE b.name = n.name) AS has_sessions FROM convene_cluster.nodes n "
    "WHERE n.lease_until >= clock_timestamp() - interval '1 day' "
    "OR EXISTS (SELECT FROM convene_cluster.owners o "
    "WHERE o.boot_id = n.boot_id AND NOT o.has_ended) "
    "OR (NOT EXISTS (SELECT FROM convene_cluster.nodes b "
    "WHERE b.name = n.name AND b.lease_until > n.lease_until) "
    "AND EXISTS (SELECT FROM convene_cluster.nodes b "
    "JOIN convene_cluster.owners o ON o.boot_id = b.boot_id "
    "WHERE b.name = n.name)) "
    "ORDER BY n.lease_until > clock_timestamp() DESC, n.name, n.started "
    "LIMIT $1",
    {std::int64_t{cluster_nodes_max}});
  if (!rows)
    return fail(rows.error());
  std::vector<cluster_node> found;
  found.reserve(rows->size());
  for (std::size_t i = 0; i < rows->size(); ++i) {
    const auto text = [&](int column) {
      return std::string{rows->text(i, column)};
    };
    cluster_node one{.boot_id = text(0),
                     .is = {.name = text(1),
                            .version = text(2),
                            .address = text(4),
                            .peer_address = text(9),
                            .labels = {}},
                     .schemas = text(3),
                     .started_ms = rows->number(i, 6),
                     .lease = std::chrono::milliseconds{rows->number(i, 7)},
                     .sessions = rows->number(i, 8),
                     .has_sessions = rows->number(i, 10) != 0};
    auto labels = read_labels(rows->text(i, 5));
    if (!labels)
      return fail(std::move(labels).error());
    one.is.labels = *std::move(labels);
    found.push_back(std::move(one));
  }
  return found;
}

} // namespace convene::host
