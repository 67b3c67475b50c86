#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/runtime/data/cluster/cluster_counts.hpp>
#include <convene/runtime/data/cluster/fenced_log.hpp>
#include <convene/runtime/data/cluster/session_owners.hpp>
#include <convene/runtime/log/event_log/shared_log.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace convene::host {

struct session_part;

/// What a node of a cluster appends: to the database first, under the epochs of
/// its sessions, then to its own log, which is therefore a beginning of what
/// the database has of each session. New sessions become the node's with their
/// first event. While the database takes nothing, it waits. Thread-safe.
class cluster_log final : public shared_log {
public:
  /// With a connection for each: the log's writer waits on the first one.
  cluster_log(cluster_database events, cluster_database blobs,
              std::string boot_id);

  /// Called with sessions that other nodes have, before anything that waits for
  /// their events is called: by the log's writer. Set before anything is
  /// appended; must not wait.
  std::function<void(const std::vector<std::string>&)> on_lost;

  /// Called with the length of a session's log in the database once that has
  /// grown, and when the node takes the session. Set before anything is
  /// appended; must not wait.
  std::function<void(const std::string& session_id, std::uint64_t length)>
    on_kept;

  [[nodiscard]] protocol::result<void>
  take_blob(std::string_view sha256, std::string_view text) override;
  void found(const std::string& session_id, std::uint64_t events) override;

  /// The node is a member under this id from now on.
  void join(std::string boot_id);

  /// The node has taken a session: the events that the own log lacks are about
  /// to be appended to that. Returns how many it has; nothing: the session was
  /// not seen, or it has ended.
  [[nodiscard]] std::optional<std::uint64_t> take_over(const owned_session& it);

  /// Other nodes have these sessions, unless the node has taken them again,
  /// with another epoch. Returns those that were the node's.
  [[nodiscard]] std::vector<std::string>
  lose(const std::vector<owned_session>& which);

  /// The node's sessions that have not ended.
  [[nodiscard]] std::vector<owned_session> held() const;

  /// Sessions that have ended and that the database does not know to have.
  [[nodiscard]] std::vector<owned_session> ended() const;
  void add_ended(const owned_session& it);
  /// Now it does.
  void forget_ended(const std::vector<owned_session>& which);

  /// What waits for the database gives up: the own log then fails.
  void stop_waiting() {
    stop_.request_stop();
  }
  /// Requested by that; a statement that is running ends, too.
  [[nodiscard]] std::stop_token stopping() const {
    return stop_.get_token();
  }

  /// Without `taken`.
  [[nodiscard]] cluster_counts counts() const;
  /// Why what waits did not succeed so far.
  [[nodiscard]] std::optional<protocol::error> trouble() const;

protected:
  [[nodiscard]] protocol::result<std::vector<line_range>>
  take(std::string_view lines) override;

private:
  struct standing {
    std::int64_t epoch = 0;   ///< 0: the session is not the node's
    std::uint64_t own = 0;    ///< events on the own log
    std::uint64_t shared = 0; ///< events that the database had at a take-over
    bool has_ended = false;
  };
  /// What a part of a group adds.
  struct addition {
    const session_part* part = nullptr;
    std::size_t passes = 0; ///< the first lines, which the database has
    std::int64_t epoch = 0;
    bool is_refused = false;
  };
  class waiting;

  [[nodiscard]] protocol::result<void>
  claim_new(const std::vector<session_part>& parts);
  [[nodiscard]] protocol::result<void> claim(std::vector<std::string_view> ids);
  /// Of these, those that have an owner; the others are claimed.
  [[nodiscard]] protocol::result<std::vector<std::string_view>>
  try_claim(const std::vector<std::string_view>& ids);
  [[nodiscard]] std::vector<addition>
  additions_of(const std::vector<session_part>& parts);
  [[nodiscard]] protocol::result<void> append(std::vector<addition>& all);
  [[nodiscard]] protocol::result<void>
  note_blobs(const std::vector<fenced_events>& groups);
  /// Takes note of what was added; returns the sessions that were lost.
  [[nodiscard]] std::vector<std::string> note(const std::vector<addition>& all);
  /// Why one of the waits has not ended.
  struct wait_state {
    std::optional<std::chrono::steady_clock::time_point> since;
    std::optional<protocol::error> trouble;
  };
  void tell(wait_state& of, const protocol::error& why);
  [[nodiscard]] bool pause() const;

  fenced_log events_; ///< the log's writer alone uses it
  std::stop_source stop_;

  std::mutex blobs_mutex_;
  cluster_database blobs_; ///< guarded by it

  mutable std::mutex mutex_; ///< guards what follows
  std::string boot_id_;
  std::unordered_map<std::string, standing> sessions_;
  std::vector<owned_session> ended_;
  cluster_counts counts_;
  wait_state events_wait_;
  wait_state blobs_wait_;
};

} // namespace convene::host
