#include <convene/runtime/data/cluster/session_owners.hpp>

#include <utility>

namespace convene::host {

using namespace protocol;

namespace {

std::vector<owned_session> read_owned(const postgres_rows& rows) {
  std::vector<owned_session> made;
  made.reserve(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i)
    made.push_back(
      {std::string{rows.text(i, 0)}, rows.number(i, 1), rows.number(i, 2)});
  return made;
}

std::pair<std::vector<std::string_view>, std::vector<std::int64_t>>
columns_of(const std::vector<owned_session>& which) {
  std::vector<std::string_view> ids;
  std::vector<std::int64_t> epochs;
  for (const auto& one : which) {
    ids.emplace_back(one.id);
    epochs.push_back(one.epoch);
  }
  return {std::move(ids), std::move(epochs)};
}

/// Of these, the sessions that the node owns. A statement after the one that
/// made it their owner sees all that the owners before it appended.
result<std::vector<owned_session>>
owned_of(postgres_connection& in, std::string_view boot_id,
         const std::vector<std::string_view>& ids) {
  return in
    .query("SELECT o.session_id::text, o.epoch, "
           "(SELECT coalesce(max(e.place), 0) FROM convene_cluster.events e "
           "WHERE e.session_id = o.session_id) "
           "FROM convene_cluster.owners o "
           "WHERE o.boot_id = $1::uuid AND NOT o.has_ended "
           "AND o.session_id = ANY ($2::uuid[]) ORDER BY o.session_id",
           {boot_id, ids})
    .map(read_owned);
}

} // namespace

result<std::vector<owned_session>>
claim_sessions(postgres_connection& in, std::string_view boot_id,
               const std::vector<std::string_view>& ids) {
  auto claimed = in.query(
    "INSERT INTO convene_cluster.owners (session_id, boot_id, epoch) "
    "SELECT id, $1::uuid, 1 FROM unnest($2::uuid[]) AS t (id) "
    "WHERE EXISTS (SELECT FROM convene_cluster.nodes n WHERE "
    "n.boot_id = $1::uuid AND n.lease_until > clock_timestamp()) "
    "ORDER BY id ON CONFLICT DO NOTHING",
    {boot_id, ids});
  if (!claimed)
    return fail(std::move(claimed).error());
  return owned_of(in, boot_id, ids);
}

result<std::vector<session_place>>
find_sessions(postgres_connection& in,
              const std::vector<std::string_view>& ids) {
  return in
    .query("SELECT o.session_id::text, n.name, m.address, m.peer_address, "
           "m.lease_until > clock_timestamp(), o.has_ended, "
           "m.boot_id::text "
           "FROM convene_cluster.owners o "
           "JOIN convene_cluster.nodes n ON n.boot_id = o.boot_id "
           "JOIN LATERAL (SELECT * FROM convene_cluster.nodes m "
           "WHERE m.name = n.name ORDER BY m.lease_until DESC LIMIT 1) m "
           "ON true WHERE o.session_id = ANY ($1::uuid[])",
           {ids})
    .map([](const postgres_rows& rows) {
      std::vector<session_place> made;
      for (std::size_t i = 0; i < rows.size(); ++i)
        made.push_back({.session_id = std::string{rows.text(i, 0)},
                        .node = std::string{rows.text(i, 1)},
                        .address = std::string{rows.text(i, 2)},
                        .peer_address = std::string{rows.text(i, 3)},
                        .is_member = rows.number(i, 4) != 0,
                        .has_ended = rows.number(i, 5) != 0,
                        .boot_id = std::string{rows.text(i, 6)}});
      return made;
    });
}

result<std::vector<owned_session>>
take_sessions(postgres_connection& in, std::string_view boot_id,
              std::size_t most, bool shares) {
  // By the statement's time: with that of each row, a lease could count as
  // lapsed that was renewed since the statement began. A join that needs the
  // owner's row: where another node took the session in that time, PostgreSQL
  // looks at the new owner beside the old owner's row, which then does not fit.
  const auto taken = in.query(
    "WITH free AS (SELECT o.session_id FROM convene_cluster.owners o "
    "JOIN convene_cluster.nodes n ON n.boot_id = o.boot_id "
    "WHERE NOT o.has_ended AND n.lease_until <= statement_timestamp() "
    "LIMIT (SELECT CASE WHEN $3 = 0 THEN $2 ELSE least($2, greatest($3, ("
    "SELECT count(*) FROM convene_cluster.owners c "
    "JOIN convene_cluster.nodes l ON l.boot_id = c.boot_id "
    "WHERE NOT c.has_ended AND l.lease_until <= statement_timestamp()) "
    "/ (SELECT greatest(count(*), 1) FROM convene_cluster.nodes l "
    "WHERE l.lease_until > statement_timestamp()) + 1)) END) "
    "FOR UPDATE OF o SKIP LOCKED) "
    "UPDATE convene_cluster.owners o SET boot_id = $1::uuid, epoch = epoch + 1 "
    "FROM free WHERE o.session_id = free.session_id "
    "AND EXISTS (SELECT FROM convene_cluster.nodes n WHERE "
    "n.boot_id = $1::uuid AND n.lease_until > clock_timestamp()) "
    "RETURNING o.session_id::text",
    {boot_id, static_cast<std::int64_t>(most),
     static_cast<std::int64_t>(shares ? share_min : 0)});
  if (!taken)
    return fail(taken.error());
  std::vector<std::string_view> ids;
  for (std::size_t i = 0; i < taken->size(); ++i)
    ids.push_back(taken->text(i, 0));
  return ids.empty() ? std::vector<owned_session>{}
                     : owned_of(in, boot_id, ids);
}

result<std::optional<std::chrono::milliseconds>>
next_lapse(postgres_connection& in, std::string_view boot_id) {
  return in
    .query("SELECT (extract(epoch FROM min(lease_until) - clock_timestamp()) "
           "* 1000)::int8 FROM convene_cluster.nodes "
           "WHERE lease_until > clock_timestamp() AND boot_id <> $1::uuid "
           "HAVING count(*) > 0",
           {boot_id})
    .map([](const postgres_rows& rows) {
      return rows.empty()
               ? std::nullopt
               : std::optional{std::chrono::milliseconds{rows.number(0, 0)}};
    });
}

result<std::vector<owned_session>> sessions_of(postgres_connection& in,
                                               std::string_view boot_id) {
  return in
    .query("SELECT o.session_id::text, o.epoch, "
           "(SELECT coalesce(max(e.place), 0) FROM convene_cluster.events e "
           "WHERE e.session_id = o.session_id) "
           "FROM convene_cluster.owners o "
           "WHERE o.boot_id = $1::uuid AND NOT o.has_ended "
           "ORDER BY o.session_id",
           {boot_id})
    .map(read_owned);
}

result<void> keep_sessions(postgres_connection& in, std::string_view boot_id,
                           const std::vector<owned_session>& which) {
  const auto [ids, epochs] = columns_of(which);
  return in
    .query("UPDATE convene_cluster.owners o SET boot_id = $1::uuid "
           "FROM unnest($2::uuid[], $3) AS t (id, epoch) "
           "WHERE o.session_id = t.id AND o.epoch = t.epoch "
           "AND NOT o.has_ended "
           "AND EXISTS (SELECT FROM convene_cluster.nodes n WHERE "
           "n.boot_id = $1::uuid AND n.lease_until > clock_timestamp())",
           {boot_id, ids, epochs})
    .map([](const auto&) {});
}

result<std::vector<owned_session>>
lost_sessions(postgres_connection& in,
              const std::vector<owned_session>& which) {
  const auto [ids, epochs] = columns_of(which);
  return in
    .query("SELECT t.number FROM unnest($1::uuid[], $2) WITH ORDINALITY "
           "AS t (id, epoch, number) "
           "WHERE NOT EXISTS (SELECT FROM convene_cluster.owners o "
           "WHERE o.session_id = t.id AND o.epoch = t.epoch)",
           {ids, epochs})
    .map([&](const postgres_rows& rows) {
      std::vector<owned_session> made;
      for (std::size_t i = 0; i < rows.size(); ++i)
        made.push_back(which[static_cast<std::size_t>(rows.number(i, 0) - 1)]);
      return made;
    });
}

result<void> end_sessions(postgres_connection& in,
                          const std::vector<owned_session>& which) {
  const auto [ids, epochs] = columns_of(which);
  return in
    .query("UPDATE convene_cluster.owners o SET has_ended = true, "
           "ended_at = clock_timestamp() FROM unnest($1::uuid[], $2) AS t (id, "
           "epoch) "
           "WHERE o.session_id = t.id AND o.epoch = t.epoch",
           {ids, epochs})
    .map([](const auto&) {});
}

} // namespace convene::host
