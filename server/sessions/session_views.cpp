#include <convene/server/sessions/session_views.hpp>

#include <algorithm>
#include <utility>

namespace convene::server {

std::shared_ptr<session_views::kept>
session_views::find(const std::string& session_id) {
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

protocol::result<void>
session_views::look(const std::string& session_id,
                    const std::function<void(const session_view&)>& to) {
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

} // namespace convene::server
