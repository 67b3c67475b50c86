#pragma once

#include <convene/runtime/data/state_store/sqlite_database.hpp>
#include <convene/runtime/data/state_store/state_tables.hpp>

#include <utility>

namespace convene::host {

/// The tables of sqlite_schema.cpp.
class sqlite_tables final : public state_tables {
public:
  explicit sqlite_tables(sqlite_database in) : in_{std::move(in)} {}

  protocol::result<std::optional<std::string>>
  get(const std::string& key) override;
  protocol::result<state_page> scan(const state_scan& which) override;
  protocol::result<state_event_page>
  events(const state_event_query& which) override;
  protocol::result<void> commit(const state_transaction& what) override;
  protocol::result<void> take_snapshot(const std::string& name) override;
  protocol::result<std::vector<std::string>> snapshots() override;
  protocol::result<void> restore(const std::string& name) override;
  protocol::result<void> drop_snapshot(const std::string& name) override;
  protocol::result<void> visit(const state_visitor& visit) override;
  protocol::result<void> fill(const state_source& next) override;

private:
  [[nodiscard]] protocol::result<void> expect(const state_change& what);
  [[nodiscard]] protocol::result<void> put(const std::string& key,
                                           const std::string& value);
  [[nodiscard]] protocol::result<void> remove(const std::string& key);
  [[nodiscard]] protocol::result<void> append(const state_event& event);
  [[nodiscard]] protocol::result<std::optional<std::int64_t>>
  find_snapshot(const std::string& name);

  sqlite_database in_;
};

} // namespace convene::host
