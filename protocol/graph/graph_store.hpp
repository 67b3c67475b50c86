#pragma once

#include <convene/protocol/documents/common.hpp>
#include <convene/protocol/graph/graph_update.hpp>
#include <convene/protocol/lifecycle/event.hpp>
#include <convene/protocol/lifecycle/lifecycle.hpp>
#include <convene/protocol/lifecycle/object_lookup.hpp>

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>

namespace convene::protocol {

/// A graph, and the documents of those of its objects that have one.
struct graph_state {
  project_graph graph;
  persistent_map<graph_key, std::shared_ptr<const json::object>> documents;
};

/// Changes of a graph store that are made as a whole, by committing it, or not
/// at all, by letting it go. Nobody else sees them before.
class graph_transaction {
public:
  /// To be changed at will: what it has become is judged by the commit.
  [[nodiscard]] project_graph& graph() noexcept {
    return state_.graph;
  }
  [[nodiscard]] const project_graph& graph() const noexcept {
    return state_.graph;
  }

  /// Puts a module's document, judged by `check_change` against the one that is
  /// there (none: it is created), and gives its events. What is refused changes
  /// nothing.
  [[nodiscard]] result<lifecycle_events> put(module which,
                                             const json::object& document);

  /// Takes a document as it stands, without judging how it came to that: for
  /// one that was there before the store. Of an object that has a document in
  /// the store, the commit refuses it. Refuses what `put_document` refuses.
  [[nodiscard]] result<void> take(module which, const json::object& document);

  /// The document of an object. Null: it has none.
  [[nodiscard]] const json::object* document(module which,
                                             std::string_view id) const;

private:
  friend class graph_store;

  graph_transaction(graph_state state, std::uint64_t begun_at,
                    const lifecycle_policy& policy)
    : state_{std::move(state)}, begun_at_{begun_at}, policy_{policy},
      seen_{state_.graph} {}

  [[nodiscard]] object_lookup lookup() const;
  void note_changes();

  graph_state state_;
  std::uint64_t begun_at_; ///< the store's commits until then
  lifecycle_policy policy_;
  project_graph seen_;           ///< as `note_changes` last found it
  std::set<graph_key> accepted_; ///< objects whose documents were put
  std::set<graph_key> changed_;  ///< those that were changed after that
};

/// How far a graph is (MPLP, kernel duty state-sync).
struct sync_metadata {
  std::uint64_t last_update_id = 0;
  std::optional<timestamp_ms> last_update_at;
  std::size_t node_count = 0;
  std::size_t edge_count = 0;

  bool operator==(const sync_metadata&) const = default;
};

[[nodiscard]] json::object to_json(const sync_metadata& sync);

/// A graph that changes by transactions. Each one that is committed is one
/// update with a number; whoever subscribes gets all from then on, in order,
/// and a store that applies them to the same graph is a replica of this one.
/// Not synchronised: other threads read copies of its graph, which are
/// snapshots.
class graph_store {
public:
  using subscriber = std::function<void(const graph_update&)>;

  explicit graph_store(const lifecycle_policy& policy = {}) : policy_{policy} {}

  /// Goes on from a graph at this update.
  graph_store(project_graph graph, std::uint64_t last_update_id,
              const lifecycle_policy& policy = {});

  /// A copy of it is a snapshot, and takes constant time.
  [[nodiscard]] const project_graph& graph() const noexcept {
    return state_.graph;
  }
  [[nodiscard]] const sync_metadata& sync() const noexcept {
    return sync_;
  }

  /// Constant time.
  [[nodiscard]] graph_transaction begin() const;

  /// Makes all its changes, if `check_differences` allows them, and tells the
  /// subscribers; nothing: no node and no edge has changed. Refuses one that
  /// began before another was committed, rule `graph_changed`. What is refused
  /// changes nothing and has no update.
  [[nodiscard]] result<std::optional<graph_update>>
  commit(graph_transaction transaction, timestamp_ms at);

  /// Follows another store. Rules: `update_repeated` (it was applied),
  /// `update_gap` (some before it are missing), `graph_deltas`, and those of
  /// `apply_changes`.
  [[nodiscard]] result<void> apply(const graph_update& update);

  /// The number is for `unsubscribe`. Subscribers may commit, subscribe and
  /// unsubscribe: what they commit, all get after this update.
  std::uint64_t subscribe(subscriber to);
  void unsubscribe(std::uint64_t number);

private:
  struct subscription {
    subscriber to;
    std::uint64_t since; ///< the update after which it came
  };

  void publish(graph_state state, graph_update update);

  graph_state state_;
  sync_metadata sync_;
  lifecycle_policy policy_;
  std::uint64_t commits_ = 0; ///< those that changed only documents, too
  std::map<std::uint64_t, std::shared_ptr<const subscription>> subscribers_;
  std::uint64_t next_subscriber_ = 1;
  std::deque<graph_update> unpublished_; ///< while subscribers are called
  bool publishes_ = false;
};

} // namespace convene::protocol
