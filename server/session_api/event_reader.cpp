#include <convene/server/session_api/event_reader.hpp>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cstddef>

namespace convene::server {

bool event_reader::fetch(std::uint64_t after, const page_limits& limits,
                         const std::function<void()>& more) {
  return feed_->run(
    [feed = feed_, id = session_id_, after, limits, more, to = fetched_] {
      std::size_t events = 0;
      if (const auto page = feed->read(id, after, limits))
        events = page->events.size();
      *to = after + std::max<std::size_t>(events, 1);
      more();
    });
}

std::optional<protocol::result<event_page>>
event_reader::read(std::uint64_t after, const page_limits& limits,
                   const std::function<void()>& more) {
  if (*fetched_ <= after && feed_->is_far(session_id_, after)
      && fetch(after, limits, more))
    return std::nullopt;
  auto page = feed_->read(session_id_, after, limits);
  if (!page)
    return page;
  if (!page->is_loading) {
    is_loaded_ = is_loaded_ && page->events.empty();
    return page;
  }
  // Not in reach although they were just loaded: that failed.
  if (std::exchange(is_loaded_, true))
    return protocol::fail(protocol::errc::unreadable,
                          "its events cannot be found again");
  auto loaded = [more, id = session_id_](const protocol::result<void>& done) {
    if (!done)
      spdlog::error("session {}: its events cannot be read: {}", id,
                    to_string(done.error()));
    more();
  };
  if (!feed_->load(session_id_, std::move(loaded)))
    return protocol::fail(protocol::errc::limit_reached,
                          "too much is waiting for a thread");
  return std::nullopt;
}

} // namespace convene::server
