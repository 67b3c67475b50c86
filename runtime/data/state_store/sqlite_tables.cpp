#include <convene/runtime/data/state_store/keys.hpp>
#include <convene/runtime/data/state_store/sqlite_database.hpp>
#include <convene/runtime/data/state_store/sqlite_schema.hpp>
#include <convene/runtime/data/state_store/sqlite_store.hpp>
#include <convene/runtime/data/state_store/state_rules.hpp>
#include <convene/runtime/data/state_store/state_tables.hpp>
#include <convene/runtime/data/state_store/tables_store.hpp>

#include <utility>

namespace convene::host {

using namespace protocol;

namespace {

/// Of the columns number, event_id, trace_id, context_id, value.
numbered_event event_in(const sqlite_query& row) {
  return {static_cast<std::uint64_t>(row.number(0)),
          {row.text(1), row.text(2), row.text(3), row.text(4)}};
}

/// An id that may be missing.
void bind_id(sqlite_query& to, const std::string& id) {
  if (id.empty())
    to.bind_null();
  else
    to.bind(id);
}

/// Shows each row until `see` returns false.
template <class See>
result<void> each_row(sqlite_query& rows, See see) {
  for (;;) {
    const auto found = rows.step();
    if (!found)
      return fail(found.error());
    if (!*found || !see())
      return {};
  }
}

/// The tables of sqlite_schema.cpp.
class sqlite_tables final : public state_tables {
public:
  explicit sqlite_tables(sqlite_database in) : in_{std::move(in)} {}

  result<std::optional<std::string>> get(const std::string& key) override {
    auto asked = in_.query("SELECT value FROM state WHERE key = ?1");
    return asked.bind(key).step().map([&](bool found) {
      return found ? std::optional{asked.text(0)} : std::nullopt;
    });
  }

  result<state_page> scan(const state_scan& which) override {
    auto asked = in_.query("SELECT key, value FROM state WHERE key >= ?1 AND "
                           "key > ?2 ORDER BY key");
    asked.bind(which.prefix).bind(which.after);
    state_page page;
    std::size_t bytes = 0;
    const auto read = each_row(asked, [&] {
      auto key = asked.text(0);
      if (!key.starts_with(which.prefix))
        return false;
      page.more = page.entries.size() == which.limit
                  || bytes >= state_page_bytes_max;
      if (page.more)
        return false;
      page.entries.push_back({std::move(key), asked.text(1)});
      bytes += page.entries.back().key.size()
               + page.entries.back().value.size();
      return true;
    });
    return read.map([&] { return std::move(page); });
  }

  result<state_event_page> events(const state_event_query& which) override {
    const bool by_trace = !which.trace_id.empty();
    const bool by_context = !which.context_id.empty();
    // Each has its index; a trace and a context are hardly ever asked for at
    // once.
    auto asked = in_.query(
      by_trace ? "SELECT number, event_id, trace_id, context_id, value FROM "
                 "event WHERE number > ?1 AND trace_id = ?2 ORDER BY number"
      : by_context
        ? "SELECT number, event_id, trace_id, context_id, value FROM "
          "event WHERE number > ?1 AND context_id = ?2 ORDER BY number"
        : "SELECT number, event_id, trace_id, context_id, value FROM "
          "event WHERE number > ?1 ORDER BY number");
    asked.bind(place_of(which.after));
    if (by_trace || by_context)
      asked.bind(by_trace ? which.trace_id : which.context_id);
    state_event_page page;
    std::size_t bytes = 0;
    const auto read = each_row(asked, [&] {
      if (by_context && asked.text(3) != which.context_id)
        return true;
      page.more = page.events.size() == which.limit
                  || bytes >= state_page_bytes_max;
      if (page.more)
        return false;
      page.events.push_back(event_in(asked));
      bytes += bytes_of(page.events.back().event);
      return true;
    });
    return read.map([&] { return std::move(page); });
  }

  result<void> commit(const state_transaction& what) override {
    return in_.in_transaction([&]() -> result<void> {
      for (const auto& each : what.expected)
        if (auto fits = expect(each); !fits)
          return fits;
      for (const auto& each : what.changes)
        if (auto done = each.value ? put(each.key, *each.value)
                                   : remove(each.key);
            !done)
          return done;
      for (const auto& each : what.events)
        if (auto done = append(each); !done)
          return done;
      return {};
    });
  }

  result<void> take_snapshot(const std::string& name) override {
    return in_.in_transaction([&]() -> result<void> {
      const auto found = find_snapshot(name);
      if (!found)
        return fail(found.error());
      if (*found)
        return fail(snapshot_exists(name));
      const auto names = snapshots();
      if (!names)
        return fail(names.error());
      if (names->size() >= state_snapshots_max)
        return fail(snapshots_full());
      auto made = in_.query("INSERT INTO snapshot(name) VALUES(?1)");
      auto copied = in_.query("INSERT INTO snapshot_entry SELECT number, key, "
                              "value FROM snapshot, entry WHERE name = ?1");
      return made.bind(name).finish().and_then(
        [&] { return copied.bind(name).finish(); });
    });
  }

  result<std::vector<std::string>> snapshots() override {
    auto asked = in_.query("SELECT name FROM snapshot ORDER BY number");
    std::vector<std::string> names;
    const auto read = each_row(asked, [&] {
      names.push_back(asked.text(0));
      return true;
    });
    return read.map([&] { return std::move(names); });
  }

  result<void> restore(const std::string& name) override {
    return with_snapshot(name, [&](std::int64_t number) {
      auto back = in_.query("INSERT INTO entry SELECT key, value FROM "
                            "snapshot_entry WHERE snapshot = ?1");
      return in_.run("DELETE FROM entry").and_then([&] {
        return back.bind(number).finish();
      });
    });
  }

  result<void> drop_snapshot(const std::string& name) override {
    return with_snapshot(name, [&](std::int64_t number) {
      auto entries
        = in_.query("DELETE FROM snapshot_entry WHERE snapshot = ?1");
      auto itself = in_.query("DELETE FROM snapshot WHERE number = ?1");
      return entries.bind(number).finish().and_then(
        [&] { return itself.bind(number).finish(); });
    });
  }

  result<void> visit(const state_visitor& visit) override {
    auto entries = in_.query("SELECT key, value FROM entry ORDER BY key");
    auto events = in_.query("SELECT number, event_id, trace_id, context_id, "
                            "value FROM event ORDER BY number");
    const auto show = [&](sqlite_query& rows, auto record) -> result<void> {
      result<void> done;
      const auto read = each_row(rows, [&] {
        done = visit(record());
        return done.has_value();
      });
      return read ? done : read;
    };
    return show(entries,
                [&] {
                  return state_entry{entries.text(0), entries.text(1)};
                })
      .and_then(
        [&] { return show(events, [&] { return event_in(events).event; }); });
  }

  result<void> fill(const state_source& next) override {
    return in_.in_transaction([&]() -> result<void> {
      const auto there = scan({.limit = 1});
      if (!there)
        return fail(there.error());
      if (!there->entries.empty())
        return fail(not_empty());
      for (;;) {
        const auto record = next();
        if (!record)
          return fail(record.error());
        if (!*record)
          return {};
        if (auto fit = check_record(**record); !fit)
          return fit;
        const auto* entry = std::get_if<state_entry>(&**record);
        auto done = entry ? put(entry->key, entry->value)
                          : append(std::get<state_event>(**record));
        if (!done)
          return done;
      }
    });
  }

private:
  result<void> expect(const state_change& what) {
    return get(what.key).and_then(
      [&](const std::optional<std::string>& found) -> result<void> {
        return found == what.value ? result<void>{}
                                   : fail(not_as_expected(what.key));
      });
  }

  result<void> put(const std::string& key, const std::string& value) {
    auto asked = in_.query(
      "INSERT INTO entry(key, value) VALUES(?1, ?2) ON "
      "CONFLICT(key) DO UPDATE SET value = excluded.value");
    return asked.bind(key).bind(value).finish();
  }

  result<void> remove(const std::string& key) {
    auto asked = in_.query("DELETE FROM entry WHERE key = ?1");
    return asked.bind(key).finish();
  }

  result<void> append(const state_event& event) {
    auto known = in_.query("SELECT 1 FROM event WHERE global_key = ?1");
    const auto key = state_key(state_area::events_global, event.event_id);
    const auto found = known.bind(key).step();
    if (!found)
      return fail(found.error());
    if (*found)
      return fail(event_exists(event.event_id));
    auto asked = in_.query("INSERT INTO event(event_id, trace_id, context_id, "
                           "value) VALUES(?1, ?2, ?3, ?4)");
    asked.bind(event.event_id);
    bind_id(asked, event.trace_id);
    bind_id(asked, event.context_id);
    return asked.bind(event.value).finish();
  }

  result<std::optional<std::int64_t>> find_snapshot(const std::string& name) {
    auto asked = in_.query("SELECT number FROM snapshot WHERE name = ?1");
    return asked.bind(name).step().map([&](bool found) {
      return found ? std::optional{asked.number(0)} : std::nullopt;
    });
  }

  /// What `work` does with the number of a snapshot, in a transaction.
  template <class Work>
  result<void> with_snapshot(const std::string& name, Work work) {
    return in_.in_transaction([&]() -> result<void> {
      const auto found = find_snapshot(name);
      if (!found)
        return fail(found.error());
      return *found ? work(**found) : fail(snapshot_missing(name));
    });
  }

  sqlite_database in_;
};

} // namespace

result<std::unique_ptr<state_store>>
open_sqlite_store(const std::filesystem::path& file) {
  auto opened = open_store_file(file);
  if (!opened)
    return fail(std::move(opened).error());
  auto made = std::make_unique<tables_store>(
    std::make_unique<sqlite_tables>(*std::move(opened)));
  return made->start_thread().map(
    [&]() -> std::unique_ptr<state_store> { return std::move(made); });
}

} // namespace convene::host
