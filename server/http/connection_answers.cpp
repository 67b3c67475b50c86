#include <boost/asio/bind_executor.hpp>
#include <boost/asio/post.hpp>
#include <convene/server/http/connection.hpp>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cstdint>
#include <exception>
#include <utility>

// What a connection sends: answers, streams, and its end.

namespace convene::server {
namespace {

/// How much of what a peer still sends is thrown away, so that it can read the
/// answer before the connection is gone: many clients send a whole body before
/// they look.
constexpr std::size_t discarded_bytes_max = std::size_t{64} << 20;
constexpr std::size_t discard_bytes = 16 << 10;

/// A longer body is not copied behind its head.
constexpr std::size_t joined_bytes_max = 64 << 10;

/// How soon a stream for which there is no room is looked at again.
constexpr std::chrono::milliseconds room_time{100};

/// A comment between events, which readers pass over.
constexpr std::string_view sign_of_life = ":keepalive\n\n";

} // namespace

void connection::answer(response what, answer_budget::charge held) {
  later_.reset();
  waiting_ = {};
  if (phase_ == phase::closed)
    return;
  held_bytes_ = std::move(held);
  phase_ = phase::writing;
  if (what.stream != nullptr && !is_head_) {
    if (++core_->streams <= core_->limits.streams_max) {
      source_ = what.stream;
    } else {
      --core_->streams;
      held_bytes_.release();
      what = error_response(request_.errors, 503, "streams_max",
                            "too many streams are open; try again");
    }
  }
  if (core_->is_stopping || (has_ended_ && input_.empty()))
    keep_alive_ = false;
  if (what.stream != nullptr && is_http_1_0_)
    keep_alive_ = false;
  tell_of(what);
  auto bytes = answer_head(what, {.request_id = request_.what.id,
                                  .cors_origin = origin_,
                                  .keep_alive = keep_alive_,
                                  .is_head = is_head_,
                                  .is_http_1_0 = is_http_1_0_});
  is_events_ = what.content_type.starts_with("text/event-stream");
  auto body = is_head_ ? std::string{} : std::move(what.body);
  if (what.stream != nullptr && !is_http_1_0_ && !body.empty())
    body = as_chunk(body);
  auto then = [this] {
    held_bytes_.release();
    if (source_ != nullptr)
      begin_stream();
    else
      answered();
  };
  // Of a long one there is to be no copy.
  if (body.size() <= joined_bytes_max) {
    bytes += body;
    return send(std::move(bytes), std::move(then));
  }
  send(std::move(bytes),
       [this, body = std::move(body), then = std::move(then)]() mutable {
         send(std::move(body), std::move(then));
       });
}

/// For metrics and the diagnostic log.
void connection::tell_of(const response& what) const {
  if (core_->observe) {
    const auto& method = request_.what.method;
    core_->observe(
      {.method = request_.to != nullptr ? std::string_view{method} : "other",
       .route = dispatcher::pattern_of(request_),
       .status = what.status,
       .time = std::chrono::steady_clock::now() - read_at_});
  }
  spdlog::debug("{} {} {} {}", request_.what.id, request_.what.method,
                dispatcher::pattern_of(request_), what.status);
}

void connection::send(std::string bytes, std::function<void()> then) {
  output_ = std::move(bytes);
  const auto& limits = core_->limits;
  sent_by_ = std::chrono::steady_clock::now() + limits.stall_time;
  if (limits.bytes_per_second_min == 0)
    sent_by_ = std::chrono::steady_clock::time_point::max();
  else
    sent_by_ += milliseconds{static_cast<std::int64_t>(
      output_.size() * 1'000 / limits.bytes_per_second_min)};
  send_rest(0, std::move(then));
}

void connection::send_rest(std::size_t from, std::function<void()> then) {
  if (phase_ == phase::closed)
    return;
  if (from == output_.size()) {
    output_.clear();
    clear_deadline();
    return then();
  }
  const auto left = std::chrono::duration_cast<milliseconds>(
    sent_by_ - std::chrono::steady_clock::now());
  set_deadline(std::clamp(left, milliseconds{1}, core_->limits.stall_time));
  transport_.write_some(
    boost::asio::buffer(output_.data() + from, output_.size() - from),
    boost::asio::bind_executor(
      strand_, [self = shared_from_this(), from, then = std::move(then)](
                 error_code failed, std::size_t sent) mutable {
        if (failed)
          return self->close();
        self->send_rest(from + sent, std::move(then));
      }));
}

void connection::answered() {
  release_body();
  output_.shrink_to_fit();
  if (keep_alive_)
    await_request();
  else
    leave();
}

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
  if (!is_events_)
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

void connection::leave() {
  phase_ = phase::leaving;
  const bool sends_body = reader_ && reader_->head() && !reader_->is_done()
                          && !is_late_;
  reader_.reset(); // with what it has of the body
  const auto time = sends_body ? core_->limits.request_time : leave_time;
  const auto until = std::chrono::steady_clock::now() + time;
  set_deadline(time);
  if (!transport_.has_tls())
    return see_off(until);
  // A peer that still sends makes it fail, and is seen off all the same.
  transport_.say_goodbye(boost::asio::bind_executor(
    strand_,
    [self = shared_from_this(), until](error_code) { self->see_off(until); }));
}

void connection::see_off(std::chrono::steady_clock::time_point until) {
  if (phase_ != phase::leaving)
    return;
  error_code failed;
  transport_.plain().shutdown(transport::socket::shutdown_send, failed);
  if (failed || has_ended_)
    return close();
  discard_input(discarded_bytes_max, until);
}

void connection::discard_input(std::size_t bytes_left,
                               std::chrono::steady_clock::time_point until) {
  if (phase_ != phase::leaving)
    return;
  const auto time_left = std::chrono::duration_cast<milliseconds>(
    until - std::chrono::steady_clock::now());
  set_deadline(std::min(
    core_->is_stopping ? leave_time : core_->limits.stall_time, time_left));
  input_.resize(discard_bytes);
  transport_.plain().async_read_some(
    boost::asio::buffer(input_),
    boost::asio::bind_executor(strand_,
                               [self = shared_from_this(), bytes_left,
                                until](error_code failed, std::size_t got) {
                                 if (failed || got >= bytes_left)
                                   return self->close();
                                 self->discard_input(bytes_left - got, until);
                               }));
}

void connection::close() {
  if (phase_ == phase::closed)
    return;
  const bool was_answering = phase_ == phase::answering;
  phase_ = phase::closed;
  const auto last = std::move(held_);
  if (source_ != nullptr) {
    source_.reset();
    --core_->streams;
  }
  clear_deadline();
  look_.reset();
  held_bytes_.release();
  if (was_answering)
    stop_waiting(); // so that the handler lets go of what it waits for
  waiting_ = {};
  later_.reset();
  error_code failed;
  transport_.plain().close(failed);
}

void connection::set_deadline(milliseconds time) {
  const auto number = ++deadlines_;
  deadline_.expires_after(time);
  deadline_.async_wait([weak = weak_from_this(), number](error_code failed) {
    const auto self = weak.lock();
    if (!failed && self && self->deadlines_ == number)
      self->on_deadline();
  });
}

void connection::clear_deadline() {
  ++deadlines_;
  deadline_.cancel();
}

void connection::on_deadline() {
  if (phase_ != phase::reading || transport_.has_tls())
    return close();
  // What is being read is given up first; then there is an answer.
  is_late_ = true;
  error_code failed;
  transport_.plain().cancel(failed);
}

} // namespace convene::server
