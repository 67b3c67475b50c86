#include <convene/runtime/data/cluster/shared_removal.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace convene::host {

using namespace protocol;

namespace {

constexpr std::int64_t sessions_max = 100;

/// Without the first events of a session, the others would be no beginning of
/// its log, so the last ones go first; their owners' rows go last.
constexpr const char* events_sql
  = "WITH old AS MATERIALIZED (SELECT o.session_id "
    "FROM convene_cluster.owners o WHERE o.has_ended "
    "AND o.ended_at < clock_timestamp() - $1 * interval '1 ms'";
constexpr const char* events_sql_end
  = " ORDER BY o.ended_at LIMIT $2), "
    "gone AS (SELECT old.session_id, e.place FROM old CROSS JOIN LATERAL "
    "(SELECT place FROM convene_cluster.events "
    "WHERE session_id = old.session_id ORDER BY place DESC LIMIT $3) e "
    "LIMIT $3) "
    "DELETE FROM convene_cluster.events e USING gone g "
    "WHERE e.session_id = g.session_id AND e.place = g.place";
constexpr const char* owners_sql
  = "DELETE FROM convene_cluster.owners o WHERE o.session_id IN ("
    "SELECT old.session_id FROM convene_cluster.owners old "
    "WHERE old.has_ended "
    "AND old.ended_at < clock_timestamp() - $1 * interval '1 ms' "
    "AND NOT EXISTS (SELECT FROM convene_cluster.events e "
    "WHERE e.session_id = old.session_id) "
    "ORDER BY old.ended_at LIMIT $2) RETURNING o.session_id::text";
/// Nothing that the stream may lack.
constexpr const char* is_published_sql
  = " AND NOT EXISTS (SELECT FROM convene_cluster.events e "
    "WHERE e.session_id = o.session_id AND e.place > coalesce("
    "(SELECT p.settled FROM convene.published_events p "
    "WHERE p.stream = $4 AND p.session_id = o.session_id), 0))";

/// Of the oldest sessions.
result<std::uint64_t> remove_events(postgres_connection& in, std::int64_t age,
                                    std::size_t events_max,
                                    std::string_view stream) {
  std::string sql{events_sql};
  std::vector<postgres_parameter> with{age, sessions_max,
                                       static_cast<std::int64_t>(events_max)};
  if (!stream.empty()) {
    sql += is_published_sql;
    with.emplace_back(stream);
  }
  sql += events_sql_end;
  return in.query(sql.c_str(), with).map([](const postgres_rows& done) {
    return static_cast<std::uint64_t>(done.affected());
  });
}

std::vector<std::string_view> texts_in(const postgres_rows& rows) {
  std::vector<std::string_view> texts;
  for (std::size_t i = 0; i < rows.size(); ++i)
    texts.push_back(rows.text(i, 0));
  return texts;
}

result<void> remove_cursors(postgres_connection& in,
                            const postgres_rows& sessions) {
  return in
    .query("DELETE FROM convene.published_events "
           "WHERE session_id = ANY ($1::uuid[])",
           {texts_in(sessions)})
    .map([](const auto&) {});
}

result<std::uint64_t> remove_blobs(postgres_connection& in,
                                   const postgres_rows& sessions) {
  const auto unused = in.query("DELETE FROM convene_cluster.blob_uses "
                               "WHERE session_id = ANY ($1::uuid[]) "
                               "RETURNING sha256",
                               {texts_in(sessions)});
  if (!unused)
    return fail(unused.error());
  // One that was taken lately is about to be referred to.
  return in
    .query("DELETE FROM convene_cluster.blobs b WHERE b.sha256 = ANY ($1) "
           "AND b.taken_at < clock_timestamp() - interval '1 hour' "
           "AND NOT EXISTS (SELECT FROM convene_cluster.blob_uses u "
           "WHERE u.sha256 = b.sha256)",
           {texts_in(*unused)})
    .map([](const postgres_rows& done) {
      return static_cast<std::uint64_t>(done.affected());
    });
}

} // namespace

result<removed_part>
remove_ended(postgres_connection& in, std::chrono::milliseconds age,
             std::size_t events_max, std::string_view stream) {
  removed_part made;
  const auto remove = [&]() -> result<void> {
    const auto locked = in.query("SELECT pg_try_advisory_xact_lock("
                                 "hashtext('convene_cluster removal'))::int");
    if (!locked)
      return fail(locked.error());
    if (locked->number(0, 0) == 0)
      return {};
    const std::int64_t time{age.count()};
    const auto events = remove_events(in, time, events_max, stream);
    if (!events)
      return fail(events.error());
    made.events = *events;
    const auto sessions = in.query(owners_sql, {time, sessions_max});
    if (!sessions)
      return fail(sessions.error());
    made.sessions = sessions->size();
    if (made.sessions != 0) {
      const auto blobs = remove_blobs(in, *sessions);
      if (!blobs)
        return fail(blobs.error());
      made.blobs = *blobs;
      if (!stream.empty())
        if (auto done = remove_cursors(in, *sessions); !done)
          return done;
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
