#include <convene/runtime/data/cluster/cluster_database.hpp>
#include <convene/runtime/data/cluster/cluster_error.hpp>

#include <array>
#include <cstdint>
#include <string>

namespace convene::host {

using namespace protocol;

namespace {

/// Leases and owners change often, so their pages have room for that. A node
/// stays in `nodes` while it owns a session.
constexpr const char* first_tables = R"(
CREATE SCHEMA convene_cluster;
CREATE TABLE convene_cluster.about (
  is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
  tables_version bigint NOT NULL);
INSERT INTO convene_cluster.about (tables_version) VALUES (1);
CREATE TABLE convene_cluster.nodes (
  boot_id uuid PRIMARY KEY,
  name text NOT NULL,
  version text NOT NULL,
  schemas text NOT NULL,
  address text NOT NULL,
  labels text NOT NULL,
  sessions bigint NOT NULL DEFAULT 0,
  started timestamptz NOT NULL,
  lease_until timestamptz NOT NULL) WITH (fillfactor = 50);
CREATE TABLE convene_cluster.owners (
  session_id uuid PRIMARY KEY,
  boot_id uuid NOT NULL,
  epoch bigint NOT NULL,
  has_ended boolean NOT NULL DEFAULT false) WITH (fillfactor = 50);
CREATE INDEX owners_by_node ON convene_cluster.owners (boot_id)
  WHERE NOT has_ended;
CREATE TABLE convene_cluster.events (
  session_id uuid NOT NULL,
  place bigint NOT NULL,
  epoch bigint NOT NULL,
  line text NOT NULL,
  PRIMARY KEY (session_id, place));
)";

/// Where other nodes reach one, with their certificates; and the parts of
/// events that are too long for a line.
constexpr const char* peers_and_blobs = R"(
ALTER TABLE convene_cluster.nodes
  ADD COLUMN peer_address text NOT NULL DEFAULT '';
CREATE TABLE convene_cluster.blobs (
  sha256 text PRIMARY KEY,
  body text NOT NULL);
UPDATE convene_cluster.about SET tables_version = 2;
)";

/// Whether a node has any session; and what is needed to remove old ones.
/// Blobs without `taken_at` are from before, and are kept.
constexpr const char* sessions_of_nodes = R"(
CREATE INDEX owners_of_node ON convene_cluster.owners (boot_id);
ALTER TABLE convene_cluster.owners ADD COLUMN ended_at timestamptz;
UPDATE convene_cluster.owners SET ended_at = clock_timestamp()
  WHERE has_ended;
CREATE INDEX owners_by_end ON convene_cluster.owners (ended_at)
  WHERE has_ended;
ALTER TABLE convene_cluster.blobs ADD COLUMN taken_at timestamptz;
CREATE TABLE convene_cluster.blob_uses (
  session_id uuid NOT NULL,
  sha256 text NOT NULL,
  PRIMARY KEY (session_id, sha256));
CREATE INDEX blob_uses_by_blob ON convene_cluster.blob_uses (sha256);
UPDATE convene_cluster.about SET tables_version = 3;
)";

/// Step n brings the tables from version n to n + 1. Released ones never
/// change.
constexpr std::array steps{first_tables, peers_and_blobs, sessions_of_nodes};
constexpr auto tables_version = std::int64_t{steps.size()};

/// Whether the tables are there. In the catalog's own tables: to_regclass may
/// not see what another node has made in the meantime.
result<bool> look_for_tables(postgres_connection& in) {
  return in
    .query("SELECT EXISTS (SELECT FROM pg_class c "
           "JOIN pg_namespace n ON n.oid = c.relnamespace "
           "WHERE n.nspname = 'convene_cluster' AND c.relname = 'about')")
    .map([](const postgres_rows& found) { return found.number(0, 0) != 0; });
}

/// 0: there are none.
result<std::int64_t> version_of(postgres_connection& in) {
  const auto are_there = look_for_tables(in);
  if (!are_there)
    return fail(are_there.error());
  if (!*are_there)
    return 0;
  return in.query("SELECT tables_version FROM convene_cluster.about")
    .map([](const postgres_rows& found) {
      return found.empty() ? 0 : found.number(0, 0);
    });
}

result<void> check_version(const postgres_connection& in,
                           std::int64_t version) {
  if (version == tables_version)
    return {};
  if (version == 0)
    return fail(errc::usage,
                in.shown()
                  + ": this database has no cluster; the first node that is "
                    "started with --cluster makes it",
                std::string{cluster_rule::tables});
  return fail(errc::unsupported,
              in.shown() + ": its cluster has tables of version "
                + std::to_string(version) + "; this program knows version "
                + std::to_string(tables_version)
                + ": use a program of the version of the other nodes",
              std::string{cluster_rule::tables});
}

/// Of several nodes that start at once, one makes the tables.
result<void> make_tables(postgres_connection& in) {
  return in.in_transaction("BEGIN", [&]() -> result<void> {
    auto locked = in.query("SELECT pg_advisory_xact_lock("
                           "hashtext('convene_cluster'))");
    if (!locked)
      return fail(std::move(locked).error());
    const auto version = version_of(in);
    if (!version)
      return fail(version.error());
    for (auto at = static_cast<std::size_t>(*version); at < steps.size(); ++at)
      if (auto done = in.run(steps[at]); !done)
        return done;
    return {};
  });
}

} // namespace

result<cluster_database> cluster_database::open(const postgres_options& how,
                                                bool creates) {
  auto made = postgres_connection::open(how);
  if (!made)
    return fail(std::move(made).error());
  auto version = version_of(*made);
  if (version && creates && *version < tables_version)
    version = make_tables(*made).and_then([&] { return version_of(*made); });
  if (!version)
    return fail(std::move(version).error());
  auto ready = check_version(*made, *version);
  if (!ready)
    return fail(std::move(ready).error());
  return cluster_database{how, *std::move(made)};
}

result<postgres_connection*> cluster_database::connection() {
  if (!connection_ || !connection_->is_open()) {
    connection_.reset();
    auto made = postgres_connection::open(how_);
    if (!made)
      return fail(std::move(made).error());
    connection_.emplace(*std::move(made));
  }
  return &*connection_;
}

} // namespace convene::host
