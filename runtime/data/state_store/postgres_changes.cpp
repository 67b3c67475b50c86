#include <convene/runtime/data/postgres/postgres_connection.hpp>
#include <convene/runtime/data/postgres/postgres_schema.hpp>
#include <convene/runtime/data/state_store/postgres_changes.hpp>
#include <convene/runtime/data/state_store/state_limits.hpp>
#include <convene/runtime/data/state_store/state_rules.hpp>

#include <array>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

namespace convene::host {

using namespace protocol;

namespace {

using texts = std::vector<std::string_view>;
using optional_texts = std::vector<std::optional<std::string_view>>;

/// An event is one row, which its two keys share; `number` is its place. Keys
/// are ordered byte by byte.
constexpr std::array steps{
  R"(CREATE TABLE convene.state_entry(
  key text COLLATE "C" PRIMARY KEY, value text NOT NULL);
CREATE TABLE convene.state_event(
  number bigint PRIMARY KEY, event_id text COLLATE "C" NOT NULL UNIQUE,
  trace_id text COLLATE "C", context_id text COLLATE "C", value text NOT NULL,
  global_key text COLLATE "C" UNIQUE
    GENERATED ALWAYS AS ('events/global/' || event_id) STORED,
  trace_key text COLLATE "C" UNIQUE
    GENERATED ALWAYS AS ('events/trace/' || trace_id || '/' || event_id) STORED);
CREATE INDEX state_event_by_trace ON convene.state_event(trace_id, number);
CREATE INDEX state_event_by_context ON convene.state_event(context_id, number);
CREATE TABLE convene.state_snapshot(
  number bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
  name text COLLATE "C" NOT NULL UNIQUE);
CREATE TABLE convene.state_snapshot_entry(
  snapshot bigint NOT NULL
    REFERENCES convene.state_snapshot(number) ON DELETE CASCADE,
  key text COLLATE "C" NOT NULL, value text NOT NULL,
  PRIMARY KEY(snapshot, key));
CREATE VIEW convene.state AS
  SELECT key, value FROM convene.state_entry
  UNION ALL SELECT global_key, value FROM convene.state_event
  UNION ALL SELECT trace_key, value FROM convene.state_event
    WHERE trace_key IS NOT NULL)"};

result<void> without_rows(const result<postgres_rows>& done) {
  return done.map([](const postgres_rows& /*none*/) {});
}

std::optional<std::string_view>
as_view(const std::optional<std::string>& text) {
  return text ? std::optional<std::string_view>{*text} : std::nullopt;
}

std::optional<std::string_view> unless_empty(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional<std::string_view>{text};
}

result<void> expect(postgres_connection& in,
                    const std::vector<state_change>& expected) {
  if (expected.empty())
    return {};
  texts keys;
  optional_texts values;
  for (const auto& each : expected) {
    keys.emplace_back(each.key);
    values.push_back(as_view(each.value));
  }
  return in
    .query("SELECT wanted.key FROM unnest($1, $2) AS wanted(key, value) LEFT "
           "JOIN convene.state AS found ON found.key = wanted.key WHERE "
           "found.value IS DISTINCT FROM wanted.value LIMIT 1",
           {keys, values})
    .and_then([](const postgres_rows& other) -> result<void> {
      return other.empty() ? result<void>{}
                           : fail(not_as_expected(other.text(0, 0)));
    });
}

result<void> change(postgres_connection& in,
                    const std::vector<state_change>& changes) {
  std::map<std::string_view, const state_change*> last; // of each key
  for (const auto& each : changes)
    last[each.key] = &each;
  texts keys;
  texts values;
  texts removed;
  for (const auto& [key, each] : last) {
    if (each->value) {
      keys.push_back(key);
      values.emplace_back(*each->value);
    } else {
      removed.push_back(key);
    }
  }
  if (!removed.empty())
    if (const auto done = in.query(
          "DELETE FROM convene.state_entry WHERE key = ANY($1)", {removed});
        !done)
      return fail(done.error());
  if (keys.empty())
    return {};
  return without_rows(
    in.query("INSERT INTO convene.state_entry SELECT * FROM unnest($1, $2) ON "
             "CONFLICT (key) DO UPDATE SET value = excluded.value",
             {keys, values}));
}

result<void> append(postgres_connection& in,
                    const std::vector<state_event>& events) {
  if (events.empty())
    return {};
  texts ids;
  optional_texts traces;
  optional_texts contexts;
  texts values;
  std::set<std::string_view> once;
  for (const auto& each : events) {
    if (!once.insert(each.event_id).second)
      return fail(event_exists(each.event_id));
    ids.emplace_back(each.event_id);
    traces.push_back(unless_empty(each.trace_id));
    contexts.push_back(unless_empty(each.context_id));
    values.emplace_back(each.value);
  }
  const auto known = in.query("SELECT event_id FROM convene.state_event WHERE "
                              "event_id = ANY($1) LIMIT 1",
                              {ids});
  if (!known)
    return fail(known.error());
  if (!known->empty())
    return fail(event_exists(known->text(0, 0)));
  return without_rows(in.query(
    "INSERT INTO convene.state_event(number, event_id, trace_id, context_id, "
    "value) SELECT (SELECT coalesce(max(number), 0) FROM convene.state_event) "
    "+ place, id, trace, context, value FROM unnest($1, $2, $3, $4) WITH "
    "ORDINALITY AS new(id, trace, context, value, place)",
    {ids, traces, contexts, values}));
}

/// The snapshot of a name, by `missing` refused if there is none.
result<std::int64_t> find_snapshot(postgres_connection& in,
                                   const std::string& name) {
  return in
    .query("SELECT number FROM convene.state_snapshot WHERE name = $1", {name})
    .and_then([&](const postgres_rows& found) -> result<std::int64_t> {
      if (found.empty())
        return fail(snapshot_missing(name));
      return found.number(0, 0);
    });
}

} // namespace

const postgres_part& state_part() {
  static constexpr postgres_part part{"state", steps};
  return part;
}

result<void> apply(postgres_connection& in, const state_transaction& what) {
  return expect(in, what.expected)
    .and_then([&] { return change(in, what.changes); })
    .and_then([&] { return append(in, what.events); });
}

result<void> take_snapshot(postgres_connection& in, const std::string& name) {
  const auto there
    = in.query("SELECT count(*), count(*) FILTER (WHERE name = $1) FROM "
               "convene.state_snapshot",
               {name});
  if (!there)
    return fail(there.error());
  if (there->number(0, 1) > 0)
    return fail(snapshot_exists(name));
  if (there->number(0, 0) >= std::int64_t{state_snapshots_max})
    return fail(snapshots_full());
  return without_rows(
    in.query("WITH made AS (INSERT INTO convene.state_snapshot(name) "
             "VALUES($1) RETURNING number) INSERT INTO "
             "convene.state_snapshot_entry SELECT number, key, value FROM "
             "made, convene.state_entry",
             {name}));
}

result<void> restore_snapshot(postgres_connection& in,
                              const std::string& name) {
  return find_snapshot(in, name).and_then([&](std::int64_t number) {
    return in.run("DELETE FROM convene.state_entry").and_then([&] {
      return without_rows(
        in.query("INSERT INTO convene.state_entry SELECT key, value FROM "
                 "convene.state_snapshot_entry WHERE snapshot = $1",
                 {number}));
    });
  });
}

result<void> drop_snapshot(postgres_connection& in, const std::string& name) {
  return find_snapshot(in, name).and_then([&](std::int64_t number) {
    return without_rows(in.query(
      "DELETE FROM convene.state_snapshot WHERE number = $1", {number}));
  });
}

} // namespace convene::host
