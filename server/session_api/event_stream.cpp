#include <convene/runtime/event_log/event_session.hpp>
#include <convene/server/session_api/event_stream.hpp>
#include <spdlog/spdlog.h>

#include <exception>
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

event_stream::~event_stream() {
  stop_waiting();
}

void event_stream::stop_waiting() {
  if (waits_ != 0)
    feed_->sessions().forget(session_id_, std::exchange(waits_, 0));
}

stream_source::part event_stream::read(std::size_t bytes_max,
                                       std::function<void()> more) {
  stop_waiting();
  for (;;) {
    // Asked first: what is not there then will never come.
    const bool closed = feed_->sessions().is_closed();
    const auto page = feed_->read(session_id_, after_,
                                  {.events = 1'000, .bytes = bytes_max});
    if (!page) {
      spdlog::error("session {}: its events cannot be read: {}", session_id_,
                    to_string(page.error()));
      return {.is_last = true};
    }
    part made{.is_last = page->is_end};
    for (const auto& line : page->events)
      append_event(made.bytes, ++after_, line);
    if (!made.bytes.empty() || made.is_last)
      return made;
    if (page->is_loading) {
      auto loaded = [more](const protocol::result<void>&) { more(); };
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
