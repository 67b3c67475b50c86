#include <convene/runtime/data/cluster/shared_removal.hpp>

#include <string_view>
#include <vector>

namespace convene::host {

using namespace protocol;

namespace {

constexpr std::int64_t sessions_max = 100;

/// Of the oldest sessions; their owners' rows go last.
result<std::uint64_t> remove_events(postgres_connection& in, std::int64_t age,
                                    std::size_t events_max) {
  return in
    .query("WITH old AS MATERIALIZED (SELECT o.session_id "
           "FROM convene_cluster.owners o WHERE o.has_ended "
           "AND o.ended_at < clock_timestamp() - $1 * interval '1 ms' "
           "ORDER BY o.ended_at LIMIT $2), "
           "gone AS (SELECT e.session_id, e.place FROM old "
           "JOIN convene_cluster.events e ON e.session_id = old.session_id "
           "LIMIT $3) "
           "DELETE FROM convene_cluster.events e USING gone g "
           "WHERE e.session_id = g.session_id AND e.place = g.place",
           {age, sessions_max, static_cast<std::int64_t>(events_max)})
    .map([](const postgres_rows& done) {
      return static_cast<std::uint64_t>(done.affected());
    });
}

result<postgres_rows> remove_owners(postgres_connection& in, std::int64_t age) {
  return in.query(
    "DELETE FROM convene_cluster.owners o WHERE o.session_id IN ("
    "SELECT old.session_id FROM convene_cluster.owners old "
    "WHERE old.has_ended "
    "AND old.ended_at < clock_timestamp() - $1 * interval '1 ms' "
    "AND NOT EXISTS (SELECT FROM convene_cluster.events e "
    "WHERE e.session_id = old.session_id) "
    "ORDER BY old.ended_at LIMIT $2) RETURNING o.session_id::text",
    {age, sessions_max});
}

result<std::uint64_t> remove_blobs(postgres_connection& in,
                                   const postgres_rows& sessions) {
  std::vector<std::string_view> ids;
  for (std::size_t i = 0; i < sessions.size(); ++i)
    ids.push_back(sessions.text(i, 0));
  const auto unused = in.query("DELETE FROM convene_cluster.blob_uses "
                               "WHERE session_id = ANY ($1::uuid[]) "
                               "RETURNING sha256",
                               {ids});
  if (!unused)
    return fail(unused.error());
  std::vector<std::string_view> blobs;
  for (std::size_t i = 0; i < unused->size(); ++i)
    blobs.push_back(unused->text(i, 0));
  // One that was taken lately is about to be referred to.
  return in
    .query("DELETE FROM convene_cluster.blobs b WHERE b.sha256 = ANY ($1) "
           "AND b.taken_at < clock_timestamp() - interval '1 hour' "
           "AND NOT EXISTS (SELECT FROM convene_cluster.blob_uses u "
           "WHERE u.sha256 = b.sha256)",
           {blobs})
    .map([](const postgres_rows& done) {
      return static_cast<std::uint64_t>(done.affected());
    });
}

} // namespace

result<removed_part> remove_ended(postgres_connection& in,
                                  std::chrono::milliseconds age,
                                  std::size_t events_max) {
  removed_part made;
  const auto remove = [&]() -> result<void> {
    const auto locked = in.query("SELECT pg_try_advisory_xact_lock("
                                 "hashtext('convene_cluster removal'))::int");
    if (!locked)
      return fail(locked.error());
    if (locked->number(0, 0) == 0)
      return {};
    const std::int64_t time{age.count()};
    const auto events = remove_events(in, time, events_max);
    if (!events)
      return fail(events.error());
    made.events = *events;
    const auto sessions = remove_owners(in, time);
    if (!sessions)
      return fail(sessions.error());
    made.sessions = sessions->size();
    if (made.sessions != 0) {
      const auto blobs = remove_blobs(in, *sessions);
      if (!blobs)
        return fail(blobs.error());
      made.blobs = *blobs;
    }
    made.more = made.events == events_max
                || made.sessions == std::uint64_t{sessions_max};
    return {};
  };
  if (auto done = in.in_transaction("BEGIN", remove); !done)
    return fail(std::move(done).error());
  return made;
}

} // namespace convene::host
