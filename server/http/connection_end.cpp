#include <boost/asio/bind_executor.hpp>
#include <convene/server/http/connection.hpp>

#include <algorithm>
#include <utility>

// How a connection ends, and its deadlines.

namespace convene::server {
namespace {

/// How much of what a peer still sends is thrown away, so that it can read the
/// answer before the connection is gone: many clients send a whole body before
/// they look.
constexpr std::size_t discarded_bytes_max = std::size_t{64} << 20;
constexpr std::size_t discard_bytes = 16 << 10;

} // namespace

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
