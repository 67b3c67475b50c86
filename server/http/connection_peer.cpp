#include <boost/asio/bind_executor.hpp>
#include <convene/server/http/connection.hpp>

#include <utility>

// Whether the peer of a connection is still there.

namespace convene::server {
namespace {

/// How often a peer that has sent more is looked at, whether it is still there.
constexpr std::chrono::milliseconds look_time{200};

} // namespace

/// Who goes away while an answer is prepared is not answered. One who only has
/// nothing more to say is, except with a stream; but who waits for news may be
/// gone then, so they have what there is.
void connection::watch_peer() {
  if (std::exchange(is_watching_, true))
    return;
  transport_.plain().async_wait(
    transport::socket::wait_read,
    boost::asio::bind_executor(strand_,
                               [weak = weak_from_this()](error_code failed) {
                                 const auto self = weak.lock();
                                 if (!self)
                                   return;
                                 self->is_watching_ = false;
                                 if (failed
                                     || (self->phase_ != phase::answering
                                         && self->phase_ != phase::streaming))
                                   return;
                                 self->look_at_peer();
                               }));
}

void connection::look_at_peer() {
  switch (transport_.look()) {
    case transport::peer_state::silent:
      return watch_peer();
    case transport::peer_state::sends: // it is read in its turn
      return watch_peer_later();
    case transport::peer_state::ended:
      has_ended_ = true;
      [[fallthrough]];
    case transport::peer_state::sent_all:
      may_be_gone_ = true;
      if (phase_ == phase::streaming)
        return close();
      if (is_not_to_wait())
        stop_waiting();
      return watch_peer_later(); // it may still be reset
    case transport::peer_state::gone:
      close();
  }
}

/// A socket with something to read is always ready.
void connection::watch_peer_later() {
  look_ = std::make_unique<boost::asio::steady_timer>(strand_, look_time);
  look_->async_wait([weak = weak_from_this()](error_code failed) {
    const auto self = weak.lock();
    if (!failed && self
        && (self->phase_ == phase::answering
            || self->phase_ == phase::streaming))
      self->look_at_peer();
  });
}

} // namespace convene::server
