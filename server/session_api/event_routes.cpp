#include <convene/server/session_api/answers.hpp>
#include <convene/server/session_api/event_page_text.hpp>
#include <convene/server/session_api/event_stream.hpp>
#include <convene/server/session_api/session_routes.hpp>

#include <charconv>
#include <chrono>
#include <memory>
#include <utility>

namespace convene::server {
namespace {

using protocol::errc;
using protocol::fail;

constexpr std::uint64_t limit_default = 100;
constexpr std::uint64_t limit_max = 1'000;

/// What a reader asks for.
struct wish {
  session_row row;
  std::uint64_t after = 0;
  std::uint64_t limit = limit_default;
  std::uint64_t wait_ms = 0;
};

bool wants_stream(const request& from) {
  return from.header("accept").find("text/event-stream")
         != std::string_view::npos;
}

/// A reader that comes back says by the header where it was.
protocol::result<std::uint64_t> after_of(const request& from) {
  const auto last = from.header("last-event-id");
  if (last.empty())
    return number_of(from, "after", 0, 0, UINT64_MAX);
  std::uint64_t number = 0;
  const auto* const end = last.data() + last.size();
  const auto [at, bad] = std::from_chars(last.data(), end, number);
  if (bad != std::errc{} || at != end)
    return fail(errc::usage, "Last-Event-ID must be an id of this stream",
                "last-event-id");
  return number;
}

protocol::result<wish> wish_of(const request& from, session_host& host) {
  auto row = session_of(from, host);
  if (!row)
    return fail(std::move(row).error());
  const auto after = after_of(from);
  const auto limit = number_of(from, "limit", limit_default, 1, limit_max);
  const auto wait = number_of(from, "wait_ms", 0, 0, wait_ms_max);
  for (const auto* each : {&after, &limit, &wait})
    if (!*each)
      return fail(each->error());
  // In a cluster, another node may have shown what this one has yet to learn.
  if (*after > row->events && !host.node().empty() && !row->ended)
    return fail(errc::not_allowed,
                "this node has " + std::to_string(row->events)
                  + " events of the session so far: none follows "
                  + std::to_string(*after) + " yet; try again",
                "session_moving");
  if (*after > row->events)
    return fail(errc::usage,
                "the session has " + std::to_string(row->events)
                  + " events: none follows " + std::to_string(*after) + " yet",
                "after");
  return wish{*std::move(row), *after, *limit, *wait};
}

/// A reader of one page, who may wait for it.
class page_reader : public std::enable_shared_from_this<page_reader> {
public:
  page_reader(std::shared_ptr<event_feed> feed, const request& from, wish what,
              responder to)
    : feed_{std::move(feed)}, from_{std::make_shared<const request>(from)},
      what_{std::move(what)}, to_{std::move(to)} {}

  void begin() {
    const auto& id = what_.row.session_id;
    if (!feed_->is_far(id, what_.after)
        || !feed_->run([self = shared_from_this()] { self->run(); }))
      run();
  }

  void run() {
    for (;;) {
      const bool closed = feed_->sessions().is_closed_for(what_.row.session_id);
      const auto page = read();
      if (!page)
        return to_(refusal(page.error(), *from_));
      if (page->is_loading) {
        auto again = [self = shared_from_this()](protocol::result<void> done) {
          done ? self->run() : self->to_(refusal(done.error(), *self->from_));
        };
        if (!feed_->load(what_.row.session_id, std::move(again)))
          to_(overloaded());
        return;
      }
      if (!page->events.empty() || page->is_end || what_.wait_ms == 0 || closed)
        return to_(page_response(feed_, what_.row.session_id, *page, size()));
      if (wait())
        return;
    }
  }

private:
  [[nodiscard]] protocol::result<event_page> read() const {
    return feed_->read(what_.row.session_id, what_.after,
                       {.events = size().events, .bytes = size().first_bytes});
  }

  [[nodiscard]] page_size size() const {
    return {.events = static_cast<std::size_t>(what_.limit)};
  }

  /// Somebody else's thread is not to read the log.
  void go_on() {
    if (feed_->run([self = shared_from_this()] { self->run(); }))
      return;
    if (feed_->sessions().is_closed())
      return run();
    to_(overloaded());
  }

  /// False: there is something already.
  bool wait() {
    const std::chrono::milliseconds time{what_.wait_ms};
    const auto& id = what_.row.session_id;
    const auto number = feed_->sessions().when_more(
      id, what_.after, [self = shared_from_this()] { self->go_on(); },
      session_catalog::clock::now() + time + std::chrono::seconds{1});
    if (number == 0)
      return false;
    to_.after(time, [feed = feed_, id, number, after = what_.after] {
      feed->sessions().forget(id, number);
      return page_response(feed, id, {.after = after}, {});
    });
    return true;
  }

  const std::shared_ptr<event_feed> feed_;
  const std::shared_ptr<const request> from_;
  const wish what_;
  const responder to_;
};

void events(session_host& host, const request& from, const responder& to) {
  auto what = wish_of(from, host);
  if (!what) {
    auto made = refusal(what.error(), from);
    if (made.status == 503)
      made.headers.emplace_back("Retry-After", "1");
    return to(std::move(made));
  }
  if (!wants_stream(from))
    return std::make_shared<page_reader>(host.events(), from, *std::move(what),
                                         to)
      ->begin();
  // No more will come: a reader that connects again by itself stops at that.
  if (what->row.ended && what->after == what->row.events)
    return to({.status = 204, .content_type = ""});
  to({.content_type = "text/event-stream",
      .headers = {{"Cache-Control", "no-store"}},
      .stream = std::make_shared<event_stream>(
        host.events(), what->row.session_id, what->after)});
}

} // namespace

routes event_routes(session_host& host) {
  return {{.method = "GET",
           .pattern = "/v1/sessions/{id}/events",
           .scope = "runs:read",
           .call = [&host](const request& from,
                           const responder& to) { events(host, from, to); },
           .for_one_person = true}};
}

} // namespace convene::server
