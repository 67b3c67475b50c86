#include <convene/runtime/log/event_log/event_session.hpp>
#include <convene/server/session_api/event_stream.hpp>
#include <spdlog/spdlog.h>

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
    from_.sessions().forget(from_.session_id(), std::exchange(waits_, 0));
}

stream_source::part
event_stream::part_of(const protocol::result<event_page>& page) {
  if (!page) {
    spdlog::error("session {}: its events cannot be read: {}",
                  from_.session_id(), to_string(page.error()));
    return {.is_last = true};
  }
  part made{.is_last = page->is_end};
  for (const auto& line : page->events)
    append_event(made.bytes, ++after_, line);
  return made;
}

stream_source::part event_stream::read(std::size_t bytes_max,
                                       std::function<void()> more) {
  stop_waiting();
  for (;;) {
    // Asked first: what is not there then will never come.
    const bool closed = from_.sessions().is_closed_for(from_.session_id());
    const auto page = from_.read(after_, {.events = 1'000, .bytes = bytes_max},
                                 more);
    if (!page)
      return {};
    auto made = part_of(*page);
    if (!made.bytes.empty() || made.is_last)
      return made;
    if (closed)
      return {.is_last = true};
    waits_
      = from_.sessions().when_more(from_.session_id(), after_, more,
                                   session_catalog::clock::time_point::max());
    if (waits_ != 0)
      return made;
  }
}

} // namespace convene::server
