#include <convene/integrations/event_stream/event_publisher.hpp>
#include <convene/runtime/data/postgres/postgres_error.hpp>

#include <algorithm>
#include <functional>
#include <utility>

namespace convene::host {

using namespace protocol;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

namespace {

constexpr milliseconds longest_wait{100};
constexpr milliseconds first_connect_pause{200};
constexpr milliseconds longest_connect_pause{10'000};
/// Before the stream that refused an event is looked at again.
constexpr milliseconds refusal_pause{1'000};
constexpr milliseconds source_pause{1'000};
constexpr milliseconds look_pause{2'000};
constexpr milliseconds save_pause{1'000};
/// Read and sent at a time.
constexpr std::size_t batch = 256;
/// Sessions whose cursors are loaded at a time.
constexpr std::size_t page = 500;
/// Sessions in work beyond which no others are looked for.
constexpr std::size_t enough_sessions = 2'000;
/// How often unanswered messages are looked for.
constexpr milliseconds check_pause{500};
/// Before the first session's.
constexpr std::string_view zero_id = "00000000-0000-0000-0000-000000000000";

} // namespace

event_publisher::event_publisher(publisher_options how,
                                 std::unique_ptr<stream_link> link,
                                 std::unique_ptr<stream_source> source,
                                 std::shared_ptr<stream_inbox> inbox,
                                 std::stop_source hurry,
                                 std::function<void(std::string_view)> report)
  : how_{std::move(how)}, link_{std::move(link)}, source_{std::move(source)},
    inbox_{std::move(inbox)}, hurry_{std::move(hurry)},
    report_{std::move(report)}, book_{how_.spool} {
  thread_ = std::jthread{[this](const std::stop_token& stop) {
    run(stop);
    part();
    ended_.set_value();
  }};
}

event_publisher::~event_publisher() {
  end();
}

void event_publisher::end() {
  if (!thread_.joinable())
    return;
  thread_.request_stop();
  if (ended_.get_future().wait_for(2 * how_.farewell)
      != std::future_status::ready)
    hurry_.request_stop();
  thread_.join();
}

server::event_stream_counts event_publisher::counts() const {
  const std::lock_guard held{mutex_};
  return counts_;
}

std::string event_publisher::stream() const {
  const std::lock_guard held{mutex_};
  return stream_;
}

void event_publisher::run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    step(steady_clock::now());
    if (!is_busy_)
      inbox_->wait(stop, longest_wait);
  }
}

/// What is known now is still sent, if the server and the source answer.
void event_publisher::part() {
  auto now = steady_clock::now();
  const auto until = now + how_.farewell;
  hear();
  while (facts_ && now < until && now >= source_not_before_
         && book_.is_behind()) {
    step(now);
    if (!is_busy_)
      inbox_->wait({}, look_pause / 100);
    now = steady_clock::now();
  }
  static_cast<void>(save(now, true)); // else the next publisher repeats some
  link_->close();
  facts_.reset();
  show(now);
}

void event_publisher::step(time_point now) {
  is_busy_ = false;
  hear();
  if (!facts_ && now >= connect_not_before_)
    connect(now);
  if (facts_)
    collect(now);
  if (facts_ && now >= source_not_before_) {
    const auto done = look(now)
                        .and_then([&] { return load(); })
                        .and_then([&] { return publish(); })
                        .and_then([&] { return save(now, false); });
    if (!done)
      source_not_before_ = now + source_pause;
    tell(told_source_,
         done ? std::string{}
              : "events are not published while their log cannot be read: "
                  + to_string(done.error()));
  }
  show(now);
}

void event_publisher::hear() {
  if (book_.sessions() >= stream_inbox::sessions_max)
    return; // the inbox is bounded, too
  const auto now = steady_clock::now();
  auto news = inbox_->take();
  sweeps_ = sweeps_ || news.is_incomplete;
  for (const auto& [id, length] : news.lengths)
    book_.learn(id, length, now);
}

void event_publisher::connect(time_point now) {
  auto facts = link_->connect();
  if (!facts) {
    lose(facts.error(), now);
    return;
  }
  ++connects_;
  connect_pause_ = {};
  facts_ = *std::move(facts);
  {
    const std::lock_guard held{mutex_};
    stream_ = facts_->stream;
  }
  book_.begin(*facts_);
  sweeps_ = true;
  swept_until_ = zero_id;
  tell(told_link_, facts_->warning);
}

void event_publisher::lose(const error& why, time_point now) {
  ++failures_;
  link_->close();
  facts_.reset();
  connect_pause_ = std::clamp(2 * connect_pause_, first_connect_pause,
                              longest_connect_pause);
  connect_not_before_ = now + connect_pause_;
  tell(told_link_, "events wait, and sessions continue: " + to_string(why));
}

void event_publisher::collect(time_point now) {
  const auto answers = link_->answers();
  if (!answers) {
    lose(answers.error(), now);
    return;
  }
  for (const auto& each : *answers) {
    book_.take(each, now);
    if (each.refused) {
      last_refusal_ = now;
      tell(told_refusal_,
           "the stream \"" + how_.stream
             + "\" refuses events, which wait: " + *each.refused);
    }
  }
  is_busy_ = is_busy_ || !answers->empty();
  if (last_refusal_ == now) { // it may be another one, or have other limits
    link_->close();
    facts_.reset();
    connect_not_before_ = now + refusal_pause;
    return;
  }
  if (!answers->empty() && now - last_refusal_ > how_.answer_time)
    tell(told_refusal_, {});
  if (now < next_check_)
    return;
  next_check_ = now + check_pause;
  if (const auto oldest = book_.oldest_sent();
      oldest != time_point::max() && now - oldest > how_.answer_time)
    lose({.code = errc::io_failed,
          .message = "the server of the stream \"" + how_.stream
                     + "\" has not answered for "
                     + std::to_string(how_.answer_time.count()) + " ms",
          .rule = "stream_mute"},
         now);
}

/// Whether other nodes have left sessions to this one.
result<void> event_publisher::look(time_point now) {
  if (now >= next_look_) {
    auto found = source_->members();
    if (!found)
      return fail(std::move(found).error());
    if (*found != members_) {
      sweeps_ = true;
      swept_until_ = zero_id;
      members_ = *std::move(found);
    }
    next_look_ = now + look_pause;
  }
  return sweeps_ && book_.sessions() < enough_sessions ? find_more(now)
                                                       : result<void>{};
}

result<void> event_publisher::find_more(time_point now) {
  const auto found = source_->unfinished(stream_, swept_until_, page);
  if (!found)
    return fail(found.error());
  for (const auto& each : *found)
    book_.load(each, now);
  sweeps_ = found->size() == page;
  swept_until_ = sweeps_ ? found->back().session_id : std::string{zero_id};
  return {};
}

result<void> event_publisher::load() {
  const auto ids = book_.unloaded(page);
  if (ids.empty())
    return {};
  const auto found = source_->cursors(stream_, ids);
  if (!found)
    return fail(found.error());
  const auto now = steady_clock::now();
  for (const auto& each : *found)
    book_.load(each, now);
  return {};
}

result<void> event_publisher::publish() {
  auto ranges = book_.next(batch, steady_clock::now());
  if (ranges.empty())
    return {};
  const auto lines = read(ranges);
  if (lines && !send(*lines))
    return {}; // the connection is lost: all of it is sent again
  if (lines)
    drop_missing(ranges, *lines);
  book_.give_back(ranges);
  return lines ? result<void>{} : fail(lines.error());
}

/// Sessions that were removed from the log, which has no more to read.
void event_publisher::drop_missing(std::vector<stream_range>& ranges,
                                   const std::vector<stream_line>& lines) {
  const auto is_missing = [&](const stream_range& each) {
    return std::ranges::none_of(lines, [&](const stream_line& one) {
      return one.session_id == each.session_id && one.place == each.first;
    });
  };
  const auto gone = std::ranges::stable_partition(ranges,
                                                  std::not_fn(is_missing));
  if (gone.empty())
    return;
  for (const auto& each : gone)
    book_.drop(each.session_id);
  report_("events of " + std::to_string(gone.size())
          + " sessions were removed from the log before the stream \""
          + how_.stream + "\" had them, such as those of session "
          + gone.front().session_id + " from number "
          + std::to_string(gone.front().first) + " on");
  ranges.erase(gone.begin(), gone.end());
}

/// Single events of a result that would be too large.
result<std::vector<stream_line>>
event_publisher::read(std::vector<stream_range>& ranges) {
  auto lines = source_->read(ranges);
  if (lines || lines.error().rule != postgres_rule::result_max)
    return lines;
  book_.give_back(std::span{ranges}.subspan(1));
  ranges.resize(1);
  ranges[0].last = ranges[0].first;
  return source_->read(ranges);
}

bool event_publisher::send(const std::vector<stream_line>& lines) {
  for (const auto& each : lines) {
    if (!book_.has_room())
      break;
    const auto message = message_of(how_.stream, each.session_id, each.place,
                                    each.line, facts_->body_bytes_max);
    const auto now = steady_clock::now();
    if (auto done = link_->send(message); !done) {
      lose(done.error(), now);
      return false;
    }
    book_.sent(message, now);
    is_busy_ = true;
  }
  return true;
}

result<void> event_publisher::save(time_point now, bool at_once) {
  if (stream_.empty() || (now < next_save_ && !at_once))
    return {};
  next_save_ = now + save_pause;
  if (facts_) // else the server may have been lost meanwhile
    book_.settle(now);
  const auto rows = book_.changed();
  for (std::size_t at = 0; at < rows.size(); at += page) {
    const auto some = std::span{rows}.subspan(at,
                                              std::min(page, rows.size() - at));
    if (auto done = source_->save(stream_, some); !done)
      return done;
    book_.saved(some);
  }
  return {};
}

void event_publisher::tell(std::string& told, const std::string& what) {
  if (told == what)
    return;
  report_(what.empty()
            ? "events for the stream \"" + how_.stream + "\" go out again"
            : what);
  told = what;
}

void event_publisher::show(time_point now) {
  if (is_busy_ && now < next_show_)
    return;
  next_show_ = now + longest_wait;
  auto made = book_.counts(now);
  made.connects = connects_;
  made.failures = failures_;
  made.is_connected = facts_.has_value();
  const std::lock_guard held{mutex_};
  counts_ = made;
}

} // namespace convene::host
