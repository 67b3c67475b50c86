#pragma once

#include <convene/server/sessions/event_feed.hpp>
#include <convene/server/sessions/session_view.hpp>

#include <cstddef>
#include <list>
#include <memory>
#include <mutex>
#include <string>

namespace convene::server {

/// What sessions are at the moment. Those that were looked at last are kept, so
/// that looking again costs only what is new. Thread-safe.
class session_views {
public:
  session_views(std::shared_ptr<event_feed> feed, std::size_t kept_max)
    : feed_{std::move(feed)}, kept_max_{kept_max} {}

  /// Shows the session as its durable events make it. May take long: as long as
  /// the session's machine needs for what is new.
  [[nodiscard]] protocol::result<void>
  look(const std::string& session_id,
       const std::function<void(const session_view&)>& to);

private:
  struct kept {
    explicit kept(const std::string& id) : view{id} {}

    std::mutex mutex;
    session_view view; ///< guarded by it
  };
  using slot = std::pair<std::string, std::shared_ptr<kept>>;

  [[nodiscard]] std::shared_ptr<kept> find(const std::string& session_id);

  const std::shared_ptr<event_feed> feed_;
  const std::size_t kept_max_;
  std::mutex mutex_;
  std::list<slot> kept_; ///< guarded by it; the latest first
};

} // namespace convene::server
