#pragma once

#include <convene/server/sessions/event_feed.hpp>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace convene::server {

/// Reads the events of a session for a stream, which must not wait for the
/// disk: what is old is read on another thread first. Keeps no events.
class event_reader {
public:
  event_reader(std::shared_ptr<event_feed> feed, std::string session_id)
    : feed_{std::move(feed)}, session_id_{std::move(session_id)} {}

  /// What follows `after`. Nothing: `more` is called, on any thread, as soon as
  /// it can be asked for again.
  [[nodiscard]] std::optional<protocol::result<event_page>>
  read(std::uint64_t after, const page_limits& limits,
       const std::function<void()>& more);

  [[nodiscard]] session_catalog& sessions() const {
    return feed_->sessions();
  }
  [[nodiscard]] const std::string& session_id() const {
    return session_id_;
  }

private:
  /// False: too much is waiting for a thread.
  [[nodiscard]] bool fetch(std::uint64_t after, const page_limits& limits,
                           const std::function<void()>& more);

  const std::shared_ptr<event_feed> feed_;
  const std::string session_id_;
  bool is_loaded_ = false; ///< since something was read
  /// Up to where the system has what was old.
  std::shared_ptr<std::atomic<std::uint64_t>> fetched_
    = std::make_shared<std::atomic<std::uint64_t>>(0);
};

} // namespace convene::server
