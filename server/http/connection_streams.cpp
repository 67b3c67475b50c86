#include <boost/asio/post.hpp>
#include <convene/server/http/connection.hpp>
#include <spdlog/spdlog.h>

#include <exception>
#include <utility>

// What a connection sends of a stream.

namespace convene::server {
namespace {

/// How soon a stream for which there is no room is looked at again.
constexpr std::chrono::milliseconds room_time{100};

/// A comment between events, which readers pass over.
constexpr std::string_view sign_of_life = ":keepalive\n\n";

} // namespace

void connection::begin_stream() {
  release_body();
  phase_ = phase::streaming;
  output_.shrink_to_fit();
  if (may_be_gone_)
    return close();
  if (is_revoked()) // since, and nobody will say so again
    return end_stream();
  watch_peer();
  pump();
}

void connection::pump() {
  if (phase_ != phase::streaming)
    return;
  if (is_sending_ || is_reading_) {
    wants_pump_ = true;
    return;
  }
  later_.reset();
  waiting_ = {};
  if (core_->is_stopping)
    return end_stream();
  if (core_->answers->room_for(owner_) != answer_budget::room::enough) {
    call_later(room_time, [this] { pump(); });
    if (!std::exchange(waits_for_room_, true))
      show_life();
    return;
  }
  read_source();
}

/// Where it may take its time.
void connection::read_source() {
  is_reading_ = true;
  wants_pump_ = false;
  waits_for_room_ = false;
  clear_deadline();
  boost::asio::post(core_->work, [weak = weak_from_this(), source = source_,
                                  core = core_.get(), reader = owner_,
                                  number = ++reads_,
                                  is_chunked = !is_http_1_0_] {
    const auto self = weak.lock();
    if (!self)
      return;
    stream_source::part part;
    try {
      part = source->read(core->limits.stream_part_bytes, [weak] {
        if (const auto waiting = weak.lock())
          boost::asio::post(waiting->strand_, [weak] {
            if (const auto still = weak.lock())
              still->pump();
          });
      });
    } catch (const std::exception& failed) {
      spdlog::error("a stream has failed: {}", failed.what());
      part = {.is_cut = true};
    }
    if (is_chunked && !part.bytes.empty())
      part.bytes = as_chunk(part.bytes);
    auto held = core->answers->take(reader, part.bytes.size());
    boost::asio::post(self->strand_, [weak, number, part = std::move(part),
                                      held = std::move(held)]() mutable {
      const auto to = weak.lock();
      if (to && to->phase_ == phase::streaming && to->reads_ == number)
        to->take_part(std::move(part), std::move(held));
    });
  });
}

void connection::take_part(stream_source::part part,
                           answer_budget::charge held) {
  is_reading_ = false;
  held_bytes_ = std::move(held);
  if (!part.bytes.empty() || part.is_last)
    return send_part(std::move(part));
  if (part.is_cut)
    return close();
  if (wants_pump_ || core_->is_stopping)
    return pump();
  if (part.again_after.count() > 0)
    call_later(part.again_after, [this] { pump(); });
  show_life();
}

void connection::send_part(stream_source::part part) {
  is_sending_ = true;
  auto bytes = std::move(part.bytes);
  if (part.is_last && !is_http_1_0_)
    bytes += last_chunk;
  send(std::move(bytes), [this, is_last = part.is_last] {
    is_sending_ = false;
    held_bytes_.release();
    if (!is_last)
      return pump();
    source_.reset();
    --core_->streams;
    phase_ = phase::writing;
    answered();
  });
}

/// Waits for more, and meanwhile says now and then that it is there.
void connection::show_life() {
  output_.shrink_to_fit();
  if (!is_events_ || source_->shows_life())
    return;
  const auto number = ++deadlines_;
  deadline_.expires_after(core_->limits.keepalive_time);
  deadline_.async_wait([weak = weak_from_this(), number](error_code failed) {
    const auto self = weak.lock();
    if (failed || !self || self->deadlines_ != number
        || self->phase_ != phase::streaming)
      return;
    self->is_sending_ = true;
    self->send(self->is_http_1_0_ ? std::string{sign_of_life}
                                  : as_chunk(sign_of_life),
               [raw = self.get()] {
                 raw->is_sending_ = false;
                 raw->waits_for_room_ = false;
                 if (raw->wants_pump_ || raw->core_->is_stopping) {
                   raw->wants_pump_ = false;
                   return raw->pump();
                 }
                 raw->show_life();
               });
  });
}

/// The server stops. Readers of events come back to where they were; any other
/// stream is cut, so that nobody takes a part for the whole.
void connection::end_stream() {
  if (!is_events_)
    return close();
  keep_alive_ = false;
  is_reading_ = false;
  ++reads_;
  send_part({.bytes = {}, .is_last = true});
}

} // namespace convene::server
