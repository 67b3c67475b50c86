#include <convene/runtime/log/event_log/event_session.hpp>
#include <convene/server/session_api/event_stream.hpp>
#include <spdlog/spdlog.h>

#include <exception>
#include <mutex>
#include <utility>

namespace convene::server {
namespace {

void append_event(std::string& to, std::uint64_t sequence,
                  std::string_view line) {
  to += "id: ";
  to += std::to_string(sequence);
  to += "\nevent: ";
  to += host::type_at_once(line).value_or("message");
  to += "\ndata: ";
  to += line;
  to += "\n\n";
}

} // namespace

struct event_stream::far_page {
  std::mutex mutex; ///< guards what follows
  std::optional<protocol::result<event_page>> page;
  std::function<void()> more;
};

event_stream::~event_stream() {
  stop_waiting();
}

void event_stream::stop_waiting() {
  if (waits_ != 0)
    feed_->sessions().forget(session_id_, std::exchange(waits_, 0));
}

stream_source::part
event_stream::part_of(const protocol::result<event_page>& page) {
  if (!page) {
    spdlog::error("session {}: its events cannot be read: {}", session_id_,
                  to_string(page.error()));
    return {.is_last = true};
  }
  part made{.is_last = page->is_end};
  for (const auto& line : page->events)
    append_event(made.bytes, ++after_, line);
  return made;
}

std::optional<protocol::result<event_page>>
event_stream::take_far(std::function<void()>& more) {
  std::optional<protocol::result<event_page>> page;
  {
    const std::lock_guard held{far_->mutex};
    if (!far_->page) {
      far_->more = std::move(more);
      return std::nullopt;
    }
    page = std::move(far_->page);
  }
  far_.reset();
  return page;
}

bool event_stream::read_far(std::size_t bytes_max,
                            const std::function<void()>& more) {
  auto made = std::make_shared<far_page>();
  made->more = more;
  if (!feed_->run(
        [feed = feed_, id = session_id_, after = after_, bytes_max, made] {
          auto page = feed->read(id, after,
                                 {.events = 1'000, .bytes = bytes_max});
          std::function<void()> call;
          {
            const std::lock_guard held{made->mutex};
            made->page = std::move(page);
            call = std::move(made->more);
          }
          call();
        }))
    return false;
  far_ = std::move(made);
  return true;
}

stream_source::part event_stream::read(std::size_t bytes_max,
                                       std::function<void()> more) {
  stop_waiting();
  for (;;) {
    // Asked first: what is not there then will never come.
    const bool closed = feed_->sessions().is_closed();
    std::optional<protocol::result<event_page>> page;
    if (far_) {
      page = take_far(more);
      if (!page)
        return {};
    } else if (feed_->is_far(session_id_, after_)
               && read_far(bytes_max, more)) {
      return {};
    } else {
      page = feed_->read(session_id_, after_,
                         {.events = 1'000, .bytes = bytes_max});
    }
    auto made = part_of(*page);
    if (!made.bytes.empty())
      is_loaded_ = false;
    if (!made.bytes.empty() || made.is_last)
      return made;
    if ((*page)->is_loading) {
      // Not in reach although they were just loaded: that failed.
      if (std::exchange(is_loaded_, true))
        return {.is_last = true};
      auto loaded = [more,
                     id = session_id_](const protocol::result<void>& done) {
        if (!done)
          spdlog::error("session {}: its events cannot be read: {}", id,
                        to_string(done.error()));
        more();
      };
      if (!feed_->load(session_id_, std::move(loaded)))
        made.is_last = true; // the reader will come again
      return made;
    }
    if (closed)
      return {.is_last = true};
    waits_ = feed_->sessions().when_more(
      session_id_, after_, more, session_catalog::clock::time_point::max());
    if (waits_ != 0)
      return made;
  }
}

} // namespace convene::server
