#pragma once

#include <convene/actors/behaviours/factory.hpp>
#include <convene/actors/behaviours/node_place.hpp>
#include <convene/protocol/base/error.hpp>
#include <convene/runtime/outside/http/http_client.hpp>
#include <convene/server/participants/participant_counts.hpp>
#include <convene/server/peers/cluster_options.hpp>
#include <convene/server/peers/cluster_view.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>

namespace convene::server {

/// Makes participants that run on other nodes of the cluster, and keeps in mind
/// where they are. Thread-safe.
class other_nodes final : public actors::behaviour_source,
                          public std::enable_shared_from_this<other_nodes> {
public:
  /// A node that can be asked.
  struct reached_node {
    std::string name;
    std::string address; ///< "10.0.0.1:8443"
  };
  using when_picked = std::function<void(protocol::result<reached_node>)>;

  /// How this node presents itself.
  struct own_identity {
    std::string node;
    std::string version;
    /// The id under which this node is a member now.
    std::function<std::string()> boot_id;
  };

  /// Checks the files of `how.peers`, which are set, and loads libcurl.
  [[nodiscard]] static protocol::result<std::shared_ptr<other_nodes>>
  open(const cluster_options& how, own_identity own);

  /// For type `actors::node_member` alone.
  [[nodiscard]] protocol::result<std::unique_ptr<actors::behaviour>>
  make(std::string_view type, const protocol::json::value& config,
       const actors::behaviour_setup& whose, std::string_view pointer) override;

  /// Ends all calls; no callback is called after it.
  void stop();

  /// Picks a node that is up, admitted by `where` and not in `without`: the
  /// same for the same key, as long as the nodes are. An error says why there
  /// is none. May be called from anywhere, and calls on any thread.
  void pick(const actors::node_place& where, std::string key,
            std::set<std::string> without, when_picked then);

  [[nodiscard]] host::http_client& client() noexcept {
    return client_;
  }
  [[nodiscard]] cluster_view& view() noexcept {
    return view_;
  }
  [[nodiscard]] const own_identity& own() const noexcept {
    return own_;
  }

  /// The participant is on this node now; empty: on none.
  void note_place(const std::string& session_id,
                  const std::string& participant_id, const std::string& node);
  /// By participant: the node on which it is.
  [[nodiscard]] std::map<std::string, std::string>
  places_of(const std::string& session_id) const;

  void note_answered() noexcept {
    ++answered_;
  }
  void note_lost() noexcept {
    ++lost_;
  }
  void note_refused() noexcept {
    ++refused_;
  }
  /// Adds what is known of participants on other nodes.
  void count(participant_counts& to) const;

private:
  struct wish {
    actors::node_place where;
    std::string key;
    std::set<std::string> without;
    when_picked then;
  };

  other_nodes(const cluster_options& how, own_identity own);
  void look(wish what, bool anew);

  const own_identity own_;
  cluster_view view_;
  host::http_client client_;
  std::atomic<std::uint64_t> answered_ = 0;
  std::atomic<std::uint64_t> lost_ = 0;
  std::atomic<std::uint64_t> refused_ = 0;

  mutable std::mutex mutex_; ///< guards the rest
  std::map<std::string, std::map<std::string, std::string>> places_;
  std::size_t away_ = 0;
};

} // namespace convene::server
