#include <convene/integrations/event_stream/stream_inbox.hpp>

#include <algorithm>

namespace convene::host {

void stream_inbox::add(const std::string& session_id, std::uint64_t length) {
  const std::lock_guard held{mutex_};
  auto& all = content_.lengths;
  if (all.size() >= sessions_max && !all.contains(session_id)) {
    content_.is_incomplete = true;
    return;
  }
  auto& known = all[session_id];
  known = std::max(known, length);
  has_news_ = true;
  changed_.notify_one();
}

void stream_inbox::wake() {
  const std::lock_guard held{mutex_};
  has_news_ = true;
  changed_.notify_one();
}

stream_inbox::content stream_inbox::take() {
  const std::lock_guard held{mutex_};
  return std::exchange(content_, {});
}

void stream_inbox::wait(const std::stop_token& stop,
                        std::chrono::milliseconds longest) {
  std::unique_lock held{mutex_};
  changed_.wait_for(held, stop, longest, [this] { return has_news_; });
  has_news_ = false;
}

} // namespace convene::host
