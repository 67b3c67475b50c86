#pragma once

#include <convene/runtime/data/state_store/memory_store.hpp>
#include <convene/runtime/data/state_store/state_tables.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace convene::host {

/// Values in a map that snapshots share until it changes.
class memory_tables final : public state_tables {
public:
  explicit memory_tables(const memory_store_limits& limits) : limits_{limits} {}

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
  using text = std::shared_ptr<const std::string>;
  using entries = std::map<std::string, text, std::less<>>;
  using numbers = std::vector<std::uint64_t>;

  struct kept_event {
    std::string event_id;
    std::string trace_id;
    std::string context_id;
    text value;

    [[nodiscard]] state_event copy() const {
      return {event_id, trace_id, context_id, *value};
    }
  };

  /// All that there is; events' keys are among the entries.
  struct content {
    std::shared_ptr<entries> all = std::make_shared<entries>();
    std::vector<kept_event> events; ///< number n at n - 1
    std::map<std::string, numbers, std::less<>> by_trace;
    std::map<std::string, numbers, std::less<>> by_context;
    std::size_t bytes = 0;

    void put(const std::string& key, text value); ///< null: removes
    void append(const state_event& event);
  };
  struct snapshot {
    std::string name;
    std::shared_ptr<const entries> all; ///< those of events are not restored
  };

  [[nodiscard]] protocol::result<void> check_room(std::size_t keys,
                                                  std::size_t bytes) const;
  [[nodiscard]] std::vector<snapshot>::iterator find(const std::string& name);

  const memory_store_limits limits_;
  content now_;
  std::vector<snapshot> snapshots_;
};

} // namespace convene::host
