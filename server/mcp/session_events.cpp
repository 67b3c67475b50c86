#include <convene/server/mcp/session_events.hpp>
#include <convene/server/session_api/answers.hpp>

namespace convene::server {

using protocol::errc;
using protocol::fail;
using protocol::result;

namespace {

constexpr page_limits visited{.events = 1'000, .bytes = std::size_t{1} << 20};

result<event_page> read_after(session_host& host, const std::string& session_id,
                              std::uint64_t after, const page_limits& most) {
  const auto row = host.events()->sessions().find(session_id);
  if (!row)
    return fail(session_unknown());
  if (after > row->events)
    return fail(errc::usage,
                "the session has " + std::to_string(row->events)
                  + " events so far: give `after` as a number up to that",
                "after");
  for (;;) {
    auto page = host.events()->read(session_id, after, most);
    if (!page || !page->is_loading)
      return page;
    if (auto done = host.events()->load(session_id); !done)
      return fail(std::move(done).error());
  }
}

} // namespace

result<event_page> events_after(session_host& host,
                                const std::string& session_id,
                                std::uint64_t after, const page_limits& most) {
  auto page = read_after(host, session_id, after, most);
  if (page && page->events.size() == 1
      && page->events.front().size() > most.bytes)
    return fail(
      errc::limit_reached,
      "event " + std::to_string(after + 1) + " has "
        + std::to_string(page->events.front().size())
        + " bytes, more than a call returns: continue behind it with `after` "
        + std::to_string(after + 1),
      "event_bytes_max");
  return page;
}

result<void>
for_each_event(session_host& host, const std::string& session_id,
               const std::stop_token& stop,
               const std::function<void(std::string_view line)>& visit) {
  std::uint64_t after = 0;
  while (!stop.stop_requested()) {
    const auto page = read_after(host, session_id, after, visited);
    if (!page)
      return fail(page.error());
    for (const auto& line : page->events)
      visit(line);
    if (page->events.empty())
      return {};
    after += page->events.size();
  }
  return {};
}

} // namespace convene::server
