#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/runtime/data/cluster/cluster_counts.hpp>
#include <convene/runtime/data/cluster/cluster_log.hpp>
#include <convene/runtime/data/cluster/membership_keeper.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace convene::host {

/// A session that this node has taken and is to continue.
struct session_to_continue {
  std::string id;
  std::uint64_t known = 0; ///< so many of its events are on the own log
  bool is_new = false;     ///< it was not among those that the own log has
  /// Some of its events from the n-th on, n counted from 0; none: no more.
  std::function<protocol::result<std::vector<std::string>>(std::uint64_t n)>
    lines;
  /// The text of a blob.
  std::function<protocol::result<std::string>(const std::string& sha256)> blob;
};

/// The rule of `continues`' error if the own log has the session and its end.
inline constexpr std::string_view session_on_log = "session_on_log";

/// The sessions of a node of a cluster: appends their events, takes those of
/// nodes whose leases have lapsed, and notices which ones other nodes took.
/// Thread-safe.
class shared_sessions {
public:
  /// What the node does. `begin` is called once with them.
  struct calls {
    /// Whether a session still has an actor here.
    std::function<bool(const std::string& id)> runs;
    /// Waits until all that was appended has been taken or refused.
    std::function<protocol::result<void>()> flush;
    /// Continues a session; false: it cannot be resumed here, which the node
    /// has reported, and stays the node's.
    std::function<protocol::result<bool>(const session_to_continue&)> continues;
    /// Stops sessions that other nodes have. Must not wait.
    std::function<void(const std::vector<std::string>&)> lost;
    /// Told of what is in the way of a take-over.
    std::function<void(std::string_view)> report;
  };

  /// For the member of this id, with this lease. Sessions that ended longer
  /// ago than `keep_time` are removed from the database; 0: none is.
  [[nodiscard]] static protocol::result<std::shared_ptr<shared_sessions>>
  open(const postgres_options& how, std::string boot_id,
       std::chrono::milliseconds lease,
       std::chrono::milliseconds keep_time = {});

  shared_sessions(const shared_sessions&) = delete;
  shared_sessions& operator=(const shared_sessions&) = delete;
  ~shared_sessions();

  /// For the companions of the own log.
  [[nodiscard]] std::shared_ptr<log_companion> log() const noexcept {
    return log_;
  }

  /// Before the own log is appended to: what to do with lost sessions.
  void on_lost(std::function<void(const std::vector<std::string>&)> call) {
    log_->on_lost = std::move(call);
  }

  /// Before the own log is appended to: called with what the database has of
  /// a session, from any thread; must not wait.
  void on_kept(std::function<void(const std::string&, std::uint64_t)> call) {
    log_->on_kept = std::move(call);
  }

  /// Before `begin`: old sessions stay until the stream that this names has
  /// all of their events; an empty name: it is not known yet. Called on the
  /// thread that takes sessions.
  void keep_for_stream(std::function<std::string()> name) {
    stream_ = std::move(name);
  }

  /// From now on takes sessions, on a thread of its own.
  void begin(calls how);

  /// Takes no more. What waits for the database does so for another
  /// `end_time` at most.
  void end();
  static constexpr std::chrono::milliseconds end_time{4'000};

  /// The node is about to stop: if events still wait for the database after
  /// `end_time`, they do not any more. Does not wait.
  void prepare_end();

  /// For a `membership_keeper`.
  void renewed(const std::string& boot_id,
               const std::optional<protocol::error>& failed);

  /// The id under which the node is a member.
  [[nodiscard]] std::string member_id() const;

  /// Why the node takes no work; empty: it does.
  [[nodiscard]] std::string why_not_ready() const;

  [[nodiscard]] cluster_counts counts() const;

private:
  shared_sessions(std::shared_ptr<cluster_log> log, fenced_log events,
                  std::string boot_id, std::chrono::milliseconds lease,
                  std::chrono::milliseconds keep_time);

  /// A session that is taken and not continued yet.
  struct pending : owned_session {
    std::chrono::milliseconds pause{0}; ///< after the last try that failed
    std::chrono::steady_clock::time_point not_before = {};
  };

  void run(const std::stop_token& stop);
  void plan_look(bool takes_more);
  [[nodiscard]] bool wait(const std::stop_token& stop);
  [[nodiscard]] protocol::result<void> look(const std::stop_token& stop);
  [[nodiscard]] protocol::result<void> mark_ended(postgres_connection& in);
  [[nodiscard]] protocol::result<void> find_lost(postgres_connection& in);
  [[nodiscard]] protocol::result<void> take(postgres_connection& in);
  [[nodiscard]] protocol::result<void>
  continue_taken(const std::stop_token& stop);
  [[nodiscard]] protocol::result<void>
  continue_all(std::vector<pending> ready, const std::stop_token& stop);
  [[nodiscard]] protocol::result<void> continue_one(const owned_session& it);
  [[nodiscard]] session_to_continue reader_of(const owned_session& it);
  [[nodiscard]] protocol::result<void> plan_lapse(postgres_connection& in);
  void remove_old(postgres_connection& in);

  const std::shared_ptr<cluster_log> log_;
  const std::chrono::milliseconds lease_;
  const std::chrono::milliseconds keep_time_;
  std::function<std::string()> stream_; ///< unset: events go nowhere
  calls calls_;                         ///< the thread's, like the next eight
  fenced_log events_;
  std::vector<pending> taken_;
  std::string joined_as_;   ///< the id under which sessions are held
  bool takes_more_ = false; ///< whether the last look left some to take
  bool recounts_ = false; ///< whether sessions may be the node's unknown to it
  std::chrono::steady_clock::time_point next_look_;
  /// When a lease may lapse, and when old sessions are looked for.
  std::optional<std::chrono::steady_clock::time_point> lapse_;
  std::chrono::steady_clock::time_point next_removal_;

  std::atomic<std::uint64_t> taken_count_ = 0;
  std::atomic<std::uint64_t> removed_sessions_ = 0;
  std::atomic<std::uint64_t> removed_events_ = 0;
  std::atomic<std::uint64_t> removed_blobs_ = 0;
  mutable std::mutex mutex_;              ///< guards the next two
  std::string boot_id_;                   ///< under which it is a member
  std::optional<protocol::error> failed_; ///< of the last renewal
  std::jthread thread_;
  std::jthread preparing_;
  std::jthread ending_;
};

} // namespace convene::host
