#include <convene/server/session_api/event_page_text.hpp>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <string_view>
#include <utility>

namespace convene::server {
namespace {

void append_line(std::string& to, std::string_view line, bool is_first) {
  if (!is_first)
    to += ',';
  to += line;
}

std::string page_end(std::uint64_t next, bool ended) {
  return R"(],"next":)" + std::to_string(next) + R"(,"ended":)"
         + (ended ? "true}" : "false}");
}

/// The events of a page behind its first ones.
class page_rest final : public stream_source {
public:
  page_rest(std::shared_ptr<event_feed> feed, std::string session_id,
            std::uint64_t after, std::size_t events, std::size_t bytes)
    : from_{std::move(feed), std::move(session_id)}, after_{after},
      events_left_{events}, bytes_left_{bytes} {}

  part read(std::size_t bytes_max, std::function<void()> more) override {
    if (events_left_ == 0 || bytes_left_ == 0)
      return end(false);
    const auto page = from_.read(after_,
                                 {.events = events_left_,
                                  .bytes = std::min(bytes_max, bytes_left_)},
                                 more);
    if (!page)
      return {};
    if (!*page) {
      spdlog::error("session {}: its events cannot be read: {}",
                    from_.session_id(), to_string((*page).error()));
      return {.is_cut = true};
    }
    const auto& lines = (*page)->events;
    if (lines.empty() || lines.front().size() > bytes_left_)
      return end((*page)->is_end && lines.empty());
    part made;
    for (const auto& line : lines) {
      append_line(made.bytes, line, false);
      bytes_left_ -= std::min(bytes_left_, line.size());
    }
    after_ += lines.size();
    events_left_ -= lines.size();
    made.is_last = (*page)->is_end || events_left_ == 0;
    if (made.is_last)
      made.bytes += page_end(after_, (*page)->is_end);
    return made;
  }

private:
  [[nodiscard]] part end(bool ended) const {
    return {.bytes = page_end(after_, ended), .is_last = true};
  }

  event_reader from_;
  std::uint64_t after_;
  std::size_t events_left_;
  std::size_t bytes_left_;
};

} // namespace

response page_response(const std::shared_ptr<event_feed>& feed,
                       const std::string& session_id, const event_page& first,
                       page_size most) {
  response made{.body = R"({"events":[)"};
  std::size_t bytes = 0;
  for (const auto& line : first.events) {
    append_line(made.body, line, bytes == 0);
    bytes += line.size();
  }
  const auto next = first.after + first.events.size();
  if (!first.is_full || bytes >= most.bytes) {
    made.body += page_end(next, first.is_end);
    return made;
  }
  made.stream = std::make_shared<page_rest>(feed, session_id, next,
                                            most.events - first.events.size(),
                                            most.bytes - bytes);
  return made;
}

} // namespace convene::server
