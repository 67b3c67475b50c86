#include <boost/asio/bind_executor.hpp>
#include <convene/server/http/connection.hpp>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cstdint>
#include <utility>

// What a connection sends in answer to a request.

namespace convene::server {
namespace {

/// A longer body is not copied behind its head.
constexpr std::size_t joined_bytes_max = 64 << 10;

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

} // namespace convene::server
