#pragma once

#include <convene/protocol/documents/role.hpp>
#include <convene/runtime/data/scenario/trace.hpp>
#include <convene/runtime/data/state_store/state_store.hpp>
#include <convene/runtime/setup.hpp>

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace convene::host {

/// Puts what the sessions of a runtime leave into the application's store, on a
/// thread of its own: the documents of each one that has ended, and at the end
/// the events on the log. The first failure is final. Thread-safe.
class session_archive {
public:
  explicit session_archive(std::shared_ptr<state_store> into);
  session_archive(const session_archive&) = delete;
  session_archive& operator=(const session_archive&) = delete;
  ~session_archive();

  /// A session's events, in order, from its first one on.
  void see(std::string_view session_id, std::string_view lines);

  /// The session has ended, and all its events were seen. Waits while too many
  /// sessions have to be stored.
  void ended(const session_result& how);

  /// There will be no more of this session.
  void forget(const std::string& session_id);

  /// Waits until all sessions that have ended are stored.
  [[nodiscard]] protocol::result<void> flush();

  /// The same, then stores the events of the sessions on the log, once. Without
  /// a log there are none.
  [[nodiscard]] protocol::result<void> close(const std::filesystem::path& log);

private:
  /// What is seen of a session.
  struct seen {
    std::mutex mutex;
    trace_builder trace;
    std::optional<std::vector<protocol::role>> roles; ///< unset: no event yet
  };
  struct job {
    session_result how;
    std::shared_ptr<seen> events;
  };

  void work();
  [[nodiscard]] protocol::result<void> store(job& next);
  void note(protocol::result<void> done);

  const std::shared_ptr<state_store> into_;
  std::mutex mutex_;
  std::condition_variable news_;
  std::map<std::string, std::shared_ptr<seen>, std::less<>> running_;
  std::deque<job> waiting_;
  std::size_t stored_ = 0; ///< jobs that are done
  std::size_t given_ = 0;
  bool is_closing_ = false;
  bool has_events_ = false; ///< the log's are stored
  std::optional<protocol::error> failure_;
  std::thread thread_;
};

} // namespace convene::host
