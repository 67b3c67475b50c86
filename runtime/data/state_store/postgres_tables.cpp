#include <convene/runtime/data/postgres/postgres_link.hpp>
#include <convene/runtime/data/postgres/postgres_schema.hpp>
#include <convene/runtime/data/state_store/postgres_changes.hpp>
#include <convene/runtime/data/state_store/postgres_pages.hpp>
#include <convene/runtime/data/state_store/postgres_store.hpp>
#include <convene/runtime/data/state_store/state_rules.hpp>
#include <convene/runtime/data/state_store/tables_store.hpp>

#include <optional>
#include <utility>

namespace convene::host {

using namespace protocol;

namespace {

/// What `fill` inserts at once.
constexpr std::size_t batch_items = 1'000;
constexpr std::size_t batch_bytes = 16U << 20;

class postgres_tables final : public state_tables {
public:
  explicit postgres_tables(postgres_link in) : in_{std::move(in)} {}

  result<std::optional<std::string>> get(const std::string& key) override {
    return in_.read([&](postgres_connection& in) {
      return in.query("SELECT value FROM convene.state WHERE key = $1", {key})
        .map([](const postgres_rows& found) {
          return found.empty() ? std::nullopt
                               : std::optional<std::string>{found.text(0, 0)};
        });
    });
  }

  result<state_page> scan(const state_scan& which) override {
    return in_.read(
      [&](postgres_connection& in) { return read_state(in, which); });
  }

  result<state_event_page> events(const state_event_query& which) override {
    return in_.read(
      [&](postgres_connection& in) { return read_events(in, which); });
  }

  result<void> commit(const state_transaction& what) override {
    return write([&](postgres_connection& in) { return apply(in, what); });
  }

  result<void> take_snapshot(const std::string& name) override {
    return write(
      [&](postgres_connection& in) { return host::take_snapshot(in, name); });
  }

  result<std::vector<std::string>> snapshots() override {
    return in_.read([&](postgres_connection& in) {
      return in.query("SELECT name FROM convene.state_snapshot ORDER BY number")
        .map([](const postgres_rows& rows) {
          std::vector<std::string> names;
          for (std::size_t n = 0; n < rows.size(); ++n)
            names.emplace_back(rows.text(n, 0));
          return names;
        });
    });
  }

  result<void> restore(const std::string& name) override {
    return write(
      [&](postgres_connection& in) { return restore_snapshot(in, name); });
  }

  result<void> drop_snapshot(const std::string& name) override {
    return write(
      [&](postgres_connection& in) { return host::drop_snapshot(in, name); });
  }

  result<void> visit(const state_visitor& visit) override {
    bool begun = false;
    std::optional<error> lost; // after something was shown
    return in_.read([&](postgres_connection& in) -> result<void> {
      if (lost)
        return fail(*lost);
      const auto done = in.in_transaction(
        "BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY", [&] {
          return show_entries(in, visit, begun).and_then([&] {
            return show_events(in, visit, begun);
          });
        });
      if (!done && begun)
        lost = done.error();
      return done;
    });
  }

  result<void> fill(const state_source& next) override {
    return in_.write_once([&](postgres_connection& in) -> result<void> {
      auto empty = lock_part(in, state_part()).and_then([&] {
        return in.query("SELECT 1 FROM convene.state LIMIT 1");
      });
      if (!empty)
        return fail(std::move(empty).error());
      if (!empty->empty())
        return fail(not_empty());
      for (bool more = true; more;) {
        const auto some = next_batch(next, more);
        if (!some)
          return fail(some.error());
        if (auto done = apply(in, *some); !done)
          return done;
      }
      return {};
    });
  }

private:
  result<void> write(const postgres_link::transaction& body) {
    return in_.write([&](postgres_connection& in) {
      return lock_part(in, state_part()).and_then([&] { return body(in); });
    });
  }

  static result<void> show_entries(postgres_connection& in,
                                   const state_visitor& visit, bool& begun) {
    std::string after;
    for (bool more = true; more;) {
      const auto page = read_entries(in, after);
      if (!page)
        return fail(page.error());
      for (const auto& each : page->entries) {
        begun = true;
        if (auto seen = visit(each); !seen)
          return seen;
        after = each.key;
      }
      more = page->more;
    }
    return {};
  }

  static result<void> show_events(postgres_connection& in,
                                  const state_visitor& visit, bool& begun) {
    state_event_query which;
    for (bool more = true; more;) {
      const auto page = read_events(in, which);
      if (!page)
        return fail(page.error());
      for (const auto& each : page->events) {
        begun = true;
        if (auto seen = visit(each.event); !seen)
          return seen;
        which.after = each.number;
      }
      more = page->more;
    }
    return {};
  }

  static result<state_transaction> next_batch(const state_source& next,
                                              bool& more) {
    state_transaction some;
    std::size_t bytes = 0;
    for (std::size_t items = 0; items < batch_items && bytes < batch_bytes;
         ++items) {
      auto record = next();
      if (!record)
        return fail(std::move(record).error());
      if (more = record->has_value(); !more)
        break;
      if (auto fit = check_record(**record); !fit)
        return fail(std::move(fit).error());
      if (auto* entry = std::get_if<state_entry>(&**record)) {
        bytes += entry->value.size();
        some.set(std::move(entry->key), std::move(entry->value));
      } else {
        auto& event = std::get<state_event>(**record);
        bytes += event.value.size();
        some.append(std::move(event));
      }
    }
    return some;
  }

  postgres_link in_;
};

} // namespace

result<std::unique_ptr<state_store>>
open_postgres_store(const std::string& url,
                    const postgres_store_options& options) {
  auto opened = postgres_link::open(
    {.connection = {.url = url,
                    .connect_timeout = options.connect_timeout,
                    .statement_timeout = options.statement_timeout},
     .reconnect_longest = options.reconnect_longest,
     .set_up = [](postgres_connection& in) {
       return prepare_schema(in, state_part());
     }});
  if (!opened)
    return fail(std::move(opened).error());
  auto made = std::make_unique<tables_store>(
    std::make_unique<postgres_tables>(*std::move(opened)));
  return made->start_thread().map(
    [&]() -> std::unique_ptr<state_store> { return std::move(made); });
}

result<bool> has_postgres_store(const std::string& url) {
  auto opened = postgres_connection::open({.url = url});
  if (!opened)
    return fail(std::move(opened).error());
  return part_version(*opened, state_part()).map([](std::int64_t found) {
    return found > 0;
  });
}

} // namespace convene::host
