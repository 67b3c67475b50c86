#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <stop_token>
#include <string>
#include <unordered_map>
#include <utility>

namespace convene::host {

/// The lengths of sessions' logs, for a publisher. A writer that appends
/// never waits: what does not fit is forgotten, and looked up later.
/// Thread-safe.
class stream_inbox {
public:
  static constexpr std::size_t sessions_max = 100'000;

  void add(const std::string& session_id, std::uint64_t length);
  /// There is something to do.
  void wake();

  struct content {
    std::unordered_map<std::string, std::uint64_t> lengths;
    bool is_incomplete = false; ///< some did not fit
  };
  /// Empties it.
  [[nodiscard]] content take();

  /// Waits until there is something to do.
  void wait(const std::stop_token& stop, std::chrono::milliseconds longest);

private:
  std::mutex mutex_;
  std::condition_variable_any changed_;
  content content_;
  bool has_news_ = false;
};

} // namespace convene::host
