#pragma once

#include <convene/actors/behaviours/behaviour.hpp>
#include <convene/protocol/base/error.hpp>
#include <convene/protocol/documents/common.hpp>
#include <convene/runtime/blocking_pool/blocking_pool.hpp>
#include <convene/runtime/outside/outside.hpp>
#include <convene/server/http/route.hpp>
#include <convene/server/participants/hosted_turn.hpp>
#include <convene/server/participants/participant_counts.hpp>
#include <convene/server/participants/spawn_order.hpp>
#include <convene/server/participants/turn_message.hpp>
#include <convene/server/peers/cluster_view.hpp>
#include <convene/session/requests/request.hpp>
#include <convene/session/spec/spec.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

namespace convene::server {

/// Participants of other nodes' sessions, which run here under this node's
/// permissions. Only nodes of the cluster reach its endpoints, each only the
/// participants that it has asked for itself. Thread-safe.
class participant_host {
public:
  using clock = std::chrono::steady_clock;

  struct options {
    std::string version; ///< of this program
    /// Whether it takes any.
    bool is_open = false;
    host::outside_options outside;
  };

  static constexpr std::size_t seats_max = 10'000;
  /// One whose node has not asked for so long goes; it is made again if asked
  /// for.
  static constexpr std::chrono::minutes idle_time{10};

  /// `nodes` must stay until `stop`.
  participant_host(options how, cluster_view& nodes);
  participant_host(const participant_host&) = delete;
  participant_host& operator=(const participant_host&) = delete;
  ~participant_host();

  /// For other nodes, and never for clients: their certificates are all that is
  /// asked for.
  [[nodiscard]] routes endpoints();

  /// Ends all that is under way.
  void stop();

  /// Adds `here` and `turns_here`.
  void count(participant_counts& to) const;

private:
  /// A participant, for the node that asked for it.
  struct seat {
    explicit seat(spawn_order what)
      : of{std::move(what)}, about{
                               std::make_shared<const session::session_info>(
                                 of.about)} {}

    const spawn_order of;
    const std::shared_ptr<const session::session_info> about;
    std::string id;
    std::unique_ptr<actors::behaviour> behaviour;

    std::mutex mutex;                  ///< guards what follows
    std::shared_ptr<hosted_turn> turn; ///< the latest
    clock::time_point used_at = clock::now();
  };
  using shared_seat = std::shared_ptr<seat>;
  using shared_order = std::shared_ptr<const spawn_order>;

  void spawn(const request& from, const responder& to);
  void check_node(const shared_order& what, const responder& to, bool anew);
  void make(const shared_order& what, const responder& to);
  [[nodiscard]] protocol::result<shared_seat>
  make_seat(const spawn_order& what);
  void begin_turn(const request& from, const responder& to);
  void notice(const request& from, const responder& to);
  void leave(const request& from, const responder& to);
  /// Null, and `to` has been answered: it is not there, or another node's.
  [[nodiscard]] shared_seat find(const request& from, const responder& to);
  void remove_idle();
  [[nodiscard]] std::shared_ptr<hosted_turn> begin_turn_of(seat& who,
                                                           turn_order order);

  const options how_;
  cluster_view& nodes_;
  std::unique_ptr<host::outside> outside_;
  std::unique_ptr<host::blocking_pool> pool_; ///< makes participants
  std::atomic<std::uint64_t> turns_ = 0;

  mutable std::mutex mutex_; ///< guards what follows
  std::map<std::string, shared_seat, std::less<>> seats_;
  std::size_t coming_ = 0; ///< being made
  bool is_stopped_ = false;
};

} // namespace convene::server
