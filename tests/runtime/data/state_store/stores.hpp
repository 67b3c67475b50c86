#pragma once

#include <catch2/catch.hpp>
#include <convene/runtime/data/state_store/awaited.hpp>
#include <convene/runtime/data/state_store/memory_store.hpp>
#include <convene/runtime/data/state_store/postgres_store.hpp>
#include <convene/runtime/data/state_store/sqlite_store.hpp>
#include <convene/runtime/data/state_store/state_text.hpp>
#include <runtime/log/event_log/files.hpp>
#include <support/postgres/postgres_server.hpp>

#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace convene::tests {

using namespace convene::host;

/// The stores that the same tests are for.
inline const std::vector<std::string> store_kinds
  = postgres_server::is_installed()
      ? std::vector<std::string>{"memory", "sqlite", "postgres"}
      : std::vector<std::string>{"memory", "sqlite"};

/// Where a store of a kind has its place.
class store_place {
public:
  explicit store_place(std::string kind) : kind_{std::move(kind)} {
    if (kind_ == "postgres")
      database_.emplace();
  }

  [[nodiscard]] std::unique_ptr<state_store> open() const {
    if (kind_ == "memory")
      return make_memory_store();
    auto opened = database_ ? open_postgres_store(database_->url())
                            : open_sqlite_store(folder_ / "state.db");
    if (!opened)
      FAIL(to_string(opened.error()));
    return *std::move(opened);
  }

private:
  std::string kind_;
  scratch_folder folder_;
  std::optional<scratch_database> database_;
};

/// An empty store of a kind. Calls wait for their outcome.
class any_store {
public:
  explicit any_store(const std::string& kind)
    : place_{kind}, store_{place_.open()} {
    // nop
  }

  [[nodiscard]] state_store& operator*() const {
    return *store_;
  }

  /// Callable from any thread, as is `commit`.
  [[nodiscard]] std::optional<std::string> get(const std::string& key) const {
    return awaited<std::optional<std::string>>(
             [&](auto then) { store_->get(key, std::move(then)); })
      .value();
  }

  /// The rule of the error; empty: none.
  std::string set(const std::string& key, const std::string& value) const {
    return rule_of<void>(
      [&](auto then) { store_->set(key, value, std::move(then)); });
  }
  std::string remove(const std::string& key) const {
    return rule_of<void>(
      [&](auto then) { store_->remove(key, std::move(then)); });
  }
  std::string append(const state_event& event) const {
    return rule_of<void>(
      [&](auto then) { store_->append(event, std::move(then)); });
  }
  std::string commit(const state_transaction& what) const {
    return rule_of<void>(
      [&](auto then) { store_->commit(what, std::move(then)); });
  }
  std::string take_snapshot(const std::string& name) const {
    return rule_of<void>(
      [&](auto then) { store_->take_snapshot(name, std::move(then)); });
  }
  std::string restore(const std::string& name) const {
    return rule_of<void>(
      [&](auto then) { store_->restore(name, std::move(then)); });
  }
  std::string drop_snapshot(const std::string& name) const {
    return rule_of<void>(
      [&](auto then) { store_->drop_snapshot(name, std::move(then)); });
  }

  [[nodiscard]] std::vector<std::string> snapshots() const {
    return awaited<std::vector<std::string>>(
             [&](auto then) { store_->snapshots(std::move(then)); })
      .value();
  }

  [[nodiscard]] state_page scan(const state_scan& which) const {
    return awaited<state_page>(
             [&](auto then) { store_->scan(which, std::move(then)); })
      .value();
  }

  /// The keys of all pages.
  [[nodiscard]] std::vector<std::string> keys(const std::string& prefix = {},
                                              std::size_t limit = 1'000) const {
    std::vector<std::string> all;
    state_scan which{.prefix = prefix, .limit = limit};
    for (;;) {
      const auto page = scan(which);
      CHECK(page.entries.size() <= limit);
      for (const auto& each : page.entries)
        all.push_back(each.key);
      if (!page.more)
        return all;
      which.after = all.back();
    }
  }

  /// The ids of all pages.
  [[nodiscard]] std::vector<std::string>
  event_ids(state_event_query which) const {
    std::vector<std::string> all;
    for (;;) {
      const auto page = awaited<state_event_page>([&](auto then) {
                          store_->events(which, std::move(then));
                        }).value();
      for (const auto& each : page.events) {
        all.push_back(each.event.event_id);
        CHECK(each.number > which.after);
        which.after = each.number;
      }
      if (!page.more)
        return all;
    }
  }

  /// All of it, as text.
  [[nodiscard]] std::string exported() const {
    std::string text;
    const auto done = awaited<void>([&](auto then) {
      export_state(
        *store_,
        [&text](std::string_view lines) -> protocol::result<void> {
          text += lines;
          return {};
        },
        std::move(then));
    });
    REQUIRE(done);
    return text;
  }

  protocol::result<void> import(const std::string& text) const {
    std::istringstream lines{text};
    return awaited<void>([&](auto then) {
      import_state(
        *store_,
        [&lines]() -> protocol::result<std::optional<std::string>> {
          std::string line;
          return std::getline(lines, line) ? std::optional{line} : std::nullopt;
        },
        std::move(then));
    });
  }

  template <class T, class Start>
  static std::string rule_of(Start&& start) {
    const auto done = awaited<T>(std::forward<Start>(start));
    return done ? "" : done.error().rule;
  }

private:
  store_place place_;
  std::unique_ptr<state_store> store_;
};

/// The rule of the error; empty: none.
inline std::string put(state_store& in, const std::string& key,
                       const std::string& value) {
  return any_store::rule_of<void>(
    [&](auto then) { in.set(key, value, std::move(then)); });
}

inline std::optional<std::string> get(state_store& in, const std::string& key) {
  return awaited<std::optional<std::string>>(
           [&](auto then) { in.get(key, std::move(then)); })
    .value();
}

} // namespace convene::tests
