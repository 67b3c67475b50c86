#include <convene/integrations/event_stream/cluster_events.hpp>
#include <convene/runtime/data/postgres/postgres_schema.hpp>

#include <array>
#include <string_view>
#include <utility>

namespace convene::host {

using namespace protocol;

namespace {

constexpr const char* cursor_table = R"(
CREATE TABLE convene.published_events (
  stream text NOT NULL,
  session_id uuid NOT NULL,
  acked bigint NOT NULL,
  settled bigint NOT NULL,
  server text NOT NULL,
  is_done boolean NOT NULL,
  PRIMARY KEY (stream, session_id)) WITH (fillfactor = 50);
)";
constexpr std::array cursor_steps{cursor_table};
constexpr postgres_part cursor_part{"published_events", cursor_steps};

std::uint64_t count_in(const postgres_rows& rows, std::size_t row, int column) {
  return static_cast<std::uint64_t>(rows.number(row, column));
}

std::vector<stream_cursor> read_cursors(const postgres_rows& rows) {
  std::vector<stream_cursor> made;
  made.reserve(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i)
    made.push_back({.session_id = std::string{rows.text(i, 0)},
                    .acked = count_in(rows, i, 1),
                    .settled = count_in(rows, i, 2),
                    .server = std::string{rows.text(i, 3)},
                    .length = count_in(rows, i, 4),
                    .has_ended = rows.number(i, 5) != 0});
  return made;
}

class cluster_events final : public stream_source {
public:
  cluster_events(cluster_database in, std::function<std::string()> boot_id)
    : in_{std::move(in)}, boot_id_{std::move(boot_id)} {}

  result<std::string> members() override {
    return query("SELECT coalesce(string_agg(boot_id::text, ' ' ORDER BY "
                 "boot_id), '') FROM convene_cluster.nodes "
                 "WHERE lease_until > clock_timestamp()",
                 {})
      .map([](const postgres_rows& found) {
        return std::string{found.text(0, 0)};
      });
  }

  result<std::vector<stream_cursor>>
  cursors(const std::string& stream,
          const std::vector<std::string>& ids) override {
    return query("SELECT t.id::text, coalesce(p.acked, 0), "
                 "coalesce(p.settled, 0), coalesce(p.server, ''), "
                 "(SELECT coalesce(max(e.place), 0) FROM "
                 "convene_cluster.events e WHERE e.session_id = t.id), "
                 "coalesce(o.has_ended, false) "
                 "FROM unnest($2::uuid[]) AS t (id) "
                 "LEFT JOIN convene_cluster.owners o ON o.session_id = t.id "
                 "LEFT JOIN convene.published_events p "
                 "ON p.stream = $1 AND p.session_id = t.id",
                 {stream,
                  std::vector<std::string_view>{ids.begin(), ids.end()}})
      .map(read_cursors);
  }

  result<std::vector<stream_cursor>> unfinished(const std::string& stream,
                                                const std::string& after,
                                                std::size_t most) override {
    return query(
             "SELECT o.session_id::text, coalesce(p.acked, 0), "
             "coalesce(p.settled, 0), coalesce(p.server, ''), "
             "(SELECT coalesce(max(e.place), 0) FROM convene_cluster.events e "
             "WHERE e.session_id = o.session_id), o.has_ended "
             "FROM convene_cluster.owners o "
             "LEFT JOIN convene.published_events p "
             "ON p.stream = $1 AND p.session_id = o.session_id "
             "WHERE o.session_id > $3::uuid AND NOT coalesce(p.is_done, false) "
             "AND (o.boot_id = $2::uuid OR (o.has_ended "
             "AND $2::text = (SELECT min(m.boot_id::text) "
             "FROM convene_cluster.nodes m "
             "WHERE m.lease_until > clock_timestamp()) "
             "AND NOT EXISTS (SELECT FROM convene_cluster.nodes n "
             "WHERE n.boot_id = o.boot_id "
             "AND n.lease_until > clock_timestamp()))) "
             "ORDER BY o.session_id LIMIT $4",
             {stream, boot_id_(), after, static_cast<std::int64_t>(most)})
      .map(read_cursors);
  }

  result<std::vector<stream_line>>
  read(std::span<const stream_range> which) override {
    std::vector<std::string_view> ids;
    std::vector<std::int64_t> first;
    std::vector<std::int64_t> last;
    for (const auto& each : which) {
      ids.emplace_back(each.session_id);
      first.push_back(static_cast<std::int64_t>(each.first));
      last.push_back(static_cast<std::int64_t>(each.last));
    }
    return query("SELECT t.number, e.place, e.line "
                 "FROM unnest($1::uuid[], $2, $3) WITH ORDINALITY "
                 "AS t (id, first, last, number) "
                 "JOIN convene_cluster.events e ON e.session_id = t.id "
                 "AND e.place BETWEEN t.first AND t.last "
                 "ORDER BY t.number, e.place",
                 {ids, first, last})
      .map([&](const postgres_rows& rows) {
        std::vector<stream_line> lines;
        lines.reserve(rows.size());
        for (std::size_t i = 0; i < rows.size(); ++i)
          lines.push_back(
            {which[static_cast<std::size_t>(rows.number(i, 0) - 1)].session_id,
             count_in(rows, i, 1), std::string{rows.text(i, 2)}});
        return lines;
      });
  }

  /// A node that is behind does not take back what another one has seen.
  result<void> save(const std::string& stream,
                    std::span<const stream_cursor> which) override {
    std::vector<std::string_view> ids;
    std::vector<std::int64_t> acked;
    std::vector<std::int64_t> settled;
    std::vector<std::string_view> servers;
    std::vector<std::int64_t> done;
    for (const auto& each : which) {
      ids.emplace_back(each.session_id);
      acked.push_back(static_cast<std::int64_t>(each.acked));
      settled.push_back(static_cast<std::int64_t>(each.settled));
      servers.emplace_back(each.server);
      done.push_back(each.has_ended && each.settled == each.length ? 1 : 0);
    }
    return query("INSERT INTO convene.published_events AS p (stream, "
                 "session_id, acked, settled, server, is_done) "
                 "SELECT $1, t.id, t.acked, t.settled, t.server, t.done <> 0 "
                 "FROM unnest($2::uuid[], $3, $4, $5, $6) "
                 "AS t (id, acked, settled, server, done) ORDER BY t.id "
                 "ON CONFLICT (stream, session_id) DO UPDATE SET "
                 "acked = CASE WHEN p.server = excluded.server "
                 "THEN greatest(p.acked, excluded.acked) "
                 "ELSE greatest(p.settled, excluded.acked) END, "
                 "settled = greatest(p.settled, excluded.settled), "
                 "server = excluded.server, "
                 "is_done = p.is_done OR excluded.is_done",
                 {stream, ids, acked, settled, servers, done})
      .map([](const auto&) {});
  }

private:
  result<postgres_rows> query(const char* sql,
                              std::initializer_list<postgres_parameter> with) {
    const auto in = in_.connection();
    return in ? (*in)->query(sql, with) : fail(in.error());
  }

  cluster_database in_;
  std::function<std::string()> boot_id_;
};

} // namespace

result<std::unique_ptr<stream_source>>
open_cluster_events(const postgres_options& how,
                    std::function<std::string()> boot_id) {
  auto in = cluster_database::open(how, true);
  if (!in)
    return fail(std::move(in).error());
  const auto ready = in->connection().and_then([](postgres_connection* open) {
    return prepare_schema(*open, cursor_part);
  });
  if (!ready)
    return fail(ready.error());
  return std::make_unique<cluster_events>(*std::move(in), std::move(boot_id));
}

} // namespace convene::host
