#pragma once

#include <convene/runtime/data/state_store/state_store.hpp>

#include <optional>
#include <string>
#include <vector>

namespace convene::host {

/// Where a store keeps what it has. Used by one caller at a time, who has
/// checked the form of everything (state_rules.hpp). The calls are those of
/// `state_store`, with the same errors; one that fails changes nothing.
class state_tables {
public:
  state_tables() = default;
  state_tables(const state_tables&) = delete;
  state_tables& operator=(const state_tables&) = delete;
  virtual ~state_tables() = default;

  virtual protocol::result<std::optional<std::string>>
  get(const std::string& key) = 0;
  virtual protocol::result<state_page> scan(const state_scan& which) = 0;
  virtual protocol::result<state_event_page>
  events(const state_event_query& which) = 0;
  virtual protocol::result<void> commit(const state_transaction& what) = 0;

  virtual protocol::result<void> take_snapshot(const std::string& name) = 0;
  virtual protocol::result<std::vector<std::string>> snapshots() = 0;
  virtual protocol::result<void> restore(const std::string& name) = 0;
  virtual protocol::result<void> drop_snapshot(const std::string& name) = 0;

  virtual protocol::result<void> visit(const state_visitor& visit) = 0;
  /// Checks what it gets itself.
  virtual protocol::result<void> fill(const state_source& next) = 0;
};

} // namespace convene::host
