#pragma once

#include <convene/server/sessions/event_feed.hpp>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

namespace convene::server {

/// What sessions are at the moment, as a View has it, which is fed their
/// events. Those that were looked at last are kept, so that looking again costs
/// only what is new. Thread-safe.
template <class View>
class session_views {
public:
  session_views(std::shared_ptr<event_feed> feed, std::size_t kept_max)
    : feed_{std::move(feed)}, kept_max_{kept_max} {}

  /// Shows the session as its durable events make it. May take long: as long as
  /// the view needs for what is new.
  [[nodiscard]] protocol::result<void>
  look(const std::string& session_id,
       const std::function<void(const View&)>& to) {
    const auto one = find(session_id);
    const std::lock_guard held{one->mutex};
    const auto row = feed_->sessions().find(session_id);
    const auto until = row ? row->events : 0;
    while (one->view.events() < until) {
      const auto left = until - one->view.events();
      auto page = feed_->read(session_id, one->view.events(),
                              {.events = static_cast<std::size_t>(left)});
      if (!page)
        return protocol::fail(std::move(page).error());
      if (page->is_loading) {
        if (auto loaded = feed_->load(session_id); !loaded)
          return loaded;
        continue;
      }
      for (const auto& line : page->events)
        one->view.feed(line);
    }
    to(one->view);
    return {};
  }

private:
  struct kept {
    explicit kept(const std::string& id) : view{id} {}

    std::mutex mutex;
    View view; ///< guarded by it
  };
  using slot = std::pair<std::string, std::shared_ptr<kept>>;

  [[nodiscard]] std::shared_ptr<kept> find(const std::string& session_id) {
    const std::lock_guard held{mutex_};
    const auto at = std::ranges::find(kept_, session_id, &slot::first);
    if (at != kept_.end()) {
      kept_.splice(kept_.begin(), kept_, at);
    } else {
      kept_.emplace_front(session_id, std::make_shared<kept>(session_id));
      if (kept_.size() > kept_max_)
        kept_.pop_back();
    }
    return kept_.front().second;
  }

  const std::shared_ptr<event_feed> feed_;
  const std::size_t kept_max_;
  std::mutex mutex_;
  std::list<slot> kept_; ///< guarded by it; the latest first
};

} // namespace convene::server
