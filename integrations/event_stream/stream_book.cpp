#include <convene/integrations/event_stream/stream_book.hpp>

#include <algorithm>
#include <limits>

namespace convene::host {

namespace {

/// Of one session before it is another one's turn.
constexpr std::uint64_t share = 64;
constexpr std::chrono::milliseconds first_pause{500};
constexpr std::chrono::milliseconds longest_pause{30'000};
/// Times of acknowledgements are kept in so many parts of `settle_time`.
constexpr int settle_parts = 8;
constexpr auto unsaved = std::numeric_limits<std::uint64_t>::max();

} // namespace

void stream_book::begin(const stream_facts& facts) {
  const bool is_other_run = facts.server != server_;
  const bool is_other_stream = facts.stream != stream_;
  server_ = facts.server;
  stream_ = facts.stream;
  if (is_other_stream) {
    for (auto& [id, of] : sessions_)
      of = {.length = of.length, .since = of.since};
    ready_.clear();
    unloaded_ = sessions_.size();
    flying_ = 0;
    flying_bytes_ = 0;
    return;
  }
  for (auto& [id, of] : sessions_) {
    go_back(id, of, is_other_run ? of.settled : of.acked);
    if (is_other_run)
      of.saved_acked = unsaved;
  }
}

void stream_book::go_back(const std::string& session_id, standing& of,
                          std::uint64_t to) {
  for (const auto& each : of.flights)
    if (!each.is_acked) {
      --flying_;
      flying_bytes_ -= each.bytes;
    }
  of.flights.clear();
  of.sent = to;
  if (to < of.acked) {
    of.acked = to;
    of.acked_at.clear();
  }
  make_ready(session_id, of);
}

void stream_book::make_ready(const std::string& session_id, standing& of) {
  if (of.is_ready || !of.is_loaded || of.sent >= of.length)
    return;
  of.is_ready = true;
  ready_.push_back(session_id);
}

void stream_book::learn(const std::string& session_id, std::uint64_t length,
                        time_point now) {
  const auto [at, is_new] = sessions_.try_emplace(session_id);
  auto& of = at->second;
  unloaded_ += is_new ? 1U : 0U;
  if (of.acked >= of.length)
    of.since = now;
  of.length = std::max(of.length, length);
  make_ready(session_id, of);
}

std::vector<std::string> stream_book::unloaded(std::size_t most) const {
  std::vector<std::string> ids;
  for (const auto& [id, of] : sessions_) {
    if (ids.size() == std::min(most, unloaded_))
      break;
    if (!of.is_loaded)
      ids.push_back(id);
  }
  return ids;
}

void stream_book::load(const stream_cursor& row, time_point now) {
  learn(row.session_id, row.length, now);
  auto& of = sessions_[row.session_id];
  if (of.is_loaded)
    return;
  of.is_loaded = true;
  --unloaded_;
  of.has_ended = row.has_ended;
  of.saved_acked = row.acked;
  of.settled = of.saved_settled = row.settled;
  of.acked = row.server == server_ ? row.acked : row.settled;
  of.sent = of.acked;
  of.highest = row.acked;
  if (of.acked > of.settled)
    of.acked_at.emplace_back(now, of.acked);
  make_ready(row.session_id, of);
}

bool stream_book::has_room() const noexcept {
  return flying_ < how_.events_max && flying_bytes_ < how_.bytes_max;
}

std::vector<stream_range> stream_book::next(std::size_t most, time_point now) {
  std::vector<stream_range> ranges;
  if (now < not_before_ || ready_.empty())
    return ranges;
  if (!has_room()) {
    ++counts_.waits;
    return ranges;
  }
  auto left = std::uint64_t{std::min(most, how_.events_max - flying_)};
  while (left != 0 && !ready_.empty()) {
    const auto id = std::move(ready_.front());
    ready_.pop_front();
    const auto at = sessions_.find(id);
    if (at == sessions_.end())
      continue;
    auto& of = at->second;
    of.is_ready = false;
    if (of.sent >= of.length)
      continue;
    const auto count = std::min({left, share, of.length - of.sent});
    ranges.push_back({id, of.sent + 1, of.sent + count});
    left -= count;
  }
  return ranges;
}

void stream_book::give_back(std::span<const stream_range> ranges) {
  for (const auto& each : ranges)
    if (const auto at = sessions_.find(each.session_id); at != sessions_.end())
      make_ready(at->first, at->second);
}

void stream_book::drop(const std::string& session_id) {
  const auto at = sessions_.find(session_id);
  if (at == sessions_.end() || !at->second.is_loaded)
    return;
  go_back(session_id, at->second, at->second.length);
  sessions_.erase(at);
}

void stream_book::sent(const stream_message& what, time_point now) {
  const auto at = sessions_.find(what.session_id);
  if (at == sessions_.end() || what.place != at->second.sent + 1)
    return;
  auto& of = at->second;
  of.sent = what.place;
  of.flights.push_back({.bytes = what.body.size(), .sent = now});
  of.has_ended = of.has_ended || what.is_last;
  ++flying_;
  flying_bytes_ += what.body.size();
  ++counts_.published;
  counts_.resent += what.place <= of.highest ? 1U : 0U;
  counts_.shortened += what.is_shortened ? 1U : 0U;
  of.highest = std::max(of.highest, what.place);
}

void stream_book::take(const stream_answer& what, time_point now) {
  const auto at = sessions_.find(what.session_id);
  if (at == sessions_.end())
    return;
  auto& of = at->second;
  if (what.place <= of.acked || what.place > of.sent)
    return; // of what is to be sent again
  if (what.refused) {
    refuse(at->first, of, now);
    return;
  }
  auto& one = of.flights[what.place - of.acked - 1];
  if (one.is_acked)
    return;
  one.is_acked = true;
  --flying_;
  flying_bytes_ -= one.bytes;
  ++counts_.acked;
  counts_.duplicates += what.is_duplicate ? 1U : 0U;
  pause_ = {};
  advance(of, now);
}

void stream_book::refuse(const std::string& session_id, standing& of,
                         time_point now) {
  ++counts_.refused;
  go_back(session_id, of, of.acked);
  if (now < not_before_)
    return;
  pause_ = std::clamp(2 * pause_, first_pause, longest_pause);
  not_before_ = now + pause_;
}

void stream_book::advance(standing& of, time_point now) {
  const auto before = of.acked;
  while (!of.flights.empty() && of.flights.front().is_acked) {
    of.flights.pop_front();
    ++of.acked;
  }
  if (of.acked == before)
    return;
  of.since = now;
  // The first time of a part counts for when the next one begins, the last
  // acknowledgement of a part for when it settles.
  const auto part = how_.settle_time / settle_parts;
  if (of.acked_at.size() > 1
      && now - of.acked_at[of.acked_at.size() - 2].first < part)
    of.acked_at.back() = {now, of.acked};
  else
    of.acked_at.emplace_back(now, of.acked);
}

void stream_book::settle(time_point now) {
  for (auto& [id, of] : sessions_)
    while (!of.acked_at.empty()
           && of.acked_at.front().first + how_.settle_time <= now) {
      of.settled = of.acked_at.front().second;
      of.acked_at.pop_front();
    }
}

std::vector<stream_cursor> stream_book::changed() const {
  std::vector<stream_cursor> rows;
  for (const auto& [id, of] : sessions_)
    if (of.is_loaded
        && (of.acked != of.saved_acked || of.settled != of.saved_settled
            || (of.settled == of.length && of.settled == of.acked)))
      rows.push_back({.session_id = id,
                      .acked = of.acked,
                      .settled = of.settled,
                      .server = server_,
                      .length = of.length,
                      .has_ended = of.has_ended});
  return rows;
}

void stream_book::saved(std::span<const stream_cursor> rows) {
  for (const auto& row : rows) {
    const auto at = sessions_.find(row.session_id);
    if (at == sessions_.end())
      continue;
    auto& of = at->second;
    of.saved_acked = row.acked;
    of.saved_settled = row.settled;
    if (of.settled == of.length && of.acked == of.length
        && row.settled == of.length)
      sessions_.erase(at); // its next event brings it back
  }
}

bool stream_book::is_behind() const {
  return std::ranges::any_of(sessions_, [](const auto& one) {
    return !one.second.is_loaded || one.second.acked < one.second.length;
  });
}

stream_book::time_point stream_book::oldest_sent() const {
  auto oldest = time_point::max();
  for (const auto& [id, of] : sessions_)
    for (const auto& each : of.flights)
      if (!each.is_acked) {
        oldest = std::min(oldest, each.sent);
        break;
      }
  return oldest;
}

server::event_stream_counts stream_book::counts(time_point now) const {
  auto made = counts_;
  for (const auto& [id, of] : sessions_) {
    if (of.acked >= of.length)
      continue;
    if (of.is_loaded)
      made.lag_events += of.length - of.acked;
    made.lag = std::max(made.lag,
                        std::chrono::duration_cast<std::chrono::milliseconds>(
                          now - of.since));
  }
  return made;
}

} // namespace convene::host
