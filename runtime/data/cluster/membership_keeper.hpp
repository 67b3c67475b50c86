#pragma once

#include <convene/runtime/data/cluster/cluster_member.hpp>

#include <functional>
#include <future>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>

namespace convene::host {

/// Renews a node's lease on a thread of its own, three times in a lease, and
/// leaves the cluster in the end. After a lease that lapsed, as while no
/// database answered, the node joins again.
class membership_keeper {
public:
  /// How a renewal went: under which id the node is a member, or why it may
  /// not be one.
  using renewal = std::function<void(
    const std::string& boot_id, const std::optional<protocol::error>& failed)>;

  /// `state` is asked before each renewal, the first one at once, and `renewed`
  /// is called after it, if given. `report` is called with a sentence when the
  /// membership is in danger, for each reason anew, lost or restored. All on
  /// the keeper's thread; they must not throw.
  membership_keeper(cluster_member member, std::function<node_state()> state,
                    std::function<void(std::string_view)> report,
                    renewal renewed = {});

  membership_keeper(const membership_keeper&) = delete;
  membership_keeper& operator=(const membership_keeper&) = delete;
  /// Waits for a second at most, unless the system looks up a host's name.
  ~membership_keeper();

private:
  void run(const std::stop_token& stop);
  [[nodiscard]] protocol::result<void> renew();

  cluster_member member_; ///< the thread's, until it has ended
  std::function<node_state()> state_;
  std::function<void(std::string_view)> report_;
  renewal renewed_;
  std::stop_source hurry_; ///< ends what the database does not answer
  std::promise<void> ended_;
  std::jthread thread_;
};

} // namespace convene::host
