#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/runtime/data/cluster/cluster_database.hpp>
#include <convene/runtime/data/cluster/cluster_node.hpp>

#include <chrono>
#include <cstddef>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

namespace convene::host {

/// How long a lease lasts. Longer than a restart of PostgreSQL takes, or all
/// leases lapse with it.
inline constexpr std::chrono::milliseconds lease_default{30'000};
inline constexpr std::size_t cluster_nodes_max = 1'000;
/// The channel that is notified when a node has left.
inline constexpr const char* handed_over = "convene_cluster_left";

/// A node's membership in a cluster; for one thread at a time. A lease permits:
/// others may take sessions once it has lapsed. It protects nothing: only the
/// epoch of an append does (fenced_log.hpp).
class cluster_member {
public:
  using time_point = std::chrono::steady_clock::time_point;

  /// Registers this start of a node under a new, random id, with a lease.
  /// Refused while a member has the name (`node_name_taken`), and while one has
  /// another version or other schemas (`cluster_unlike`).
  [[nodiscard]] static protocol::result<cluster_member>
  join(const postgres_options& database, node_description who,
       std::chrono::milliseconds lease = lease_default);

  /// Extends the lease. `lease_lapsed` is final: what the node owned may have
  /// other owners, and it has to join again. After other errors it may be tried
  /// again.
  [[nodiscard]] protocol::result<void> renew(const node_state& now);

  /// Registers the node as another start of it, under another id, as `join`
  /// does.
  [[nodiscard]] protocol::result<void> join_again();

  /// Ends the lease at once and notifies `handed_over`, so that others take the
  /// sessions.
  [[nodiscard]] protocol::result<void> leave();

  /// From then on, statements that still wait for the database fail at once.
  void interrupt_by(const std::stop_token& stop) {
    database_.interrupt_by(stop);
  }

  [[nodiscard]] const std::string& boot_id() const noexcept {
    return boot_id_;
  }
  [[nodiscard]] const node_description& description() const noexcept {
    return who_;
  }
  [[nodiscard]] std::chrono::milliseconds lease() const noexcept {
    return lease_;
  }
  /// Until when, by the clock of this machine: at least as early as by the
  /// database's, if both run at the same speed.
  [[nodiscard]] time_point leased_until() const noexcept {
    return leased_until_;
  }

private:
  cluster_member(cluster_database database, node_description who,
                 std::chrono::milliseconds lease);

  [[nodiscard]] protocol::result<void> enroll(postgres_connection& in);

  cluster_database database_;
  node_description who_;
  std::chrono::milliseconds lease_;
  std::string boot_id_;
  time_point leased_until_;
};

/// All nodes, by name; also those whose lease lapsed less than a day ago, or
/// that still own sessions. At most `cluster_nodes_max`, members first.
[[nodiscard]] protocol::result<std::vector<cluster_node>>
list_nodes(postgres_connection& in);

} // namespace convene::host
