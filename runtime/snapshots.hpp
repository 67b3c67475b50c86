#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/runtime/sinks.hpp>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

namespace convene::host {

/// One session, shared by those who count its events and those who save it.
struct saved_session {
  std::string id;
  std::atomic<std::size_t> bytes{0}; ///< of its latest snapshot
  std::atomic<bool> has_file{false}; ///< or may soon have one
  std::atomic<bool> is_due{false};   ///< waits for its turn
  std::atomic<bool> has_ended{false};
};

/// Makes snapshots of running sessions from their log, each from the previous
/// one, on a thread of its own: no session waits for it, and a snapshot covers
/// only what is on disk. Failures are reported in the diagnostic log and affect
/// only the time that recovery takes. Thread-safe.
class snapshot_keeper {
public:
  /// `flush` waits until all events in closed groups of the log are durable.
  snapshot_keeper(std::filesystem::path log,
                  std::function<protocol::result<void>()> flush);

  snapshot_keeper(const snapshot_keeper&) = delete;
  snapshot_keeper& operator=(const snapshot_keeper&) = delete;

  /// Performs pending removals; makes no snapshots beyond the current one.
  ~snapshot_keeper();

  /// A new snapshot is due. Does not wait.
  void want(std::shared_ptr<saved_session> of);

  /// The session has ended: its snapshot is removed. Does not wait.
  void forget(const std::shared_ptr<saved_session>& ended);

private:
  void run();
  void push(std::shared_ptr<saved_session> what);
  [[nodiscard]] protocol::result<void> save(saved_session& which);

  const std::filesystem::path log_;
  const std::function<protocol::result<void>()> flush_;
  std::mutex mutex_;
  std::condition_variable work_;
  std::deque<std::shared_ptr<saved_session>> waiting_; ///< guarded by mutex
  bool closing_ = false;                               ///< guarded by mutex
  std::thread thread_; ///< runs from the first request on
};

/// Counts a session's events on their way to the log, and requests a snapshot
/// when there are enough of them since the last one: `every`, and as many bytes
/// as the last one has, so that snapshots cost a session no more than its
/// events.
class counting_sink final : public sink_before {
public:
  /// `before`: events on the log that no snapshot covers.
  counting_sink(actors::event_sink& next, snapshot_keeper& keeper,
                std::shared_ptr<saved_session> of, std::uint64_t every,
                std::uint64_t before)
    : sink_before(next), keeper_(keeper), of_(std::move(of)), every_(every),
      events_(before) {}

  protocol::result<void> append(std::string_view session_id,
                                std::string_view lines,
                                std::size_t count) override;

private:
  snapshot_keeper& keeper_;
  std::shared_ptr<saved_session> of_;
  std::uint64_t every_;
  std::uint64_t events_;
  std::size_t bytes_ = 0;
};

/// Removes the snapshots of sessions for which `runs` is false, and their
/// folder if it is then empty.
void sweep_snapshots(const std::filesystem::path& log,
                     const std::function<bool(const std::string&)>& runs);

} // namespace convene::host
