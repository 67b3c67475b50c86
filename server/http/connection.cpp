#include <boost/asio/bind_executor.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/post.hpp>
#include <convene/server/http/connection.hpp>
#include <netinet/in.h>
#include <netinet/tcp.h>

#include <utility>

// How a connection begins, and what it is told by the server.

namespace convene::server {
namespace {

/// How much the system takes of what a peer has no room for yet.
constexpr int unsent_bytes_max = 128 << 10;

} // namespace

connection::connection(std::shared_ptr<server_core> core,
                       transport::socket taken, bool is_reserve)
  : core_{std::move(core)}, transport_{std::move(taken), core_->tls.get()},
    strand_{boost::asio::make_strand(core_->io)}, deadline_{strand_},
    is_reserve_{is_reserve} {
  auto& socket = transport_.plain();
  error_code failed;
  if (const auto peer = socket.remote_endpoint(failed); !failed)
    address_ = peer.address().to_string();
  counted_as_ = counted_address(address_);
  socket.set_option(boost::asio::ip::tcp::no_delay{true}, failed);
  // A peer that vanished without a word is found out as soon as a slow one.
  const auto patience = static_cast<unsigned>(core_->limits.stall_time.count());
  ::setsockopt(socket.native_handle(), IPPROTO_TCP, TCP_USER_TIMEOUT, &patience,
               sizeof patience);
  // What waits in the system is memory, too.
  const int unsent = unsent_bytes_max;
  ::setsockopt(socket.native_handle(), IPPROTO_TCP, TCP_NOTSENT_LOWAT, &unsent,
               sizeof unsent);
}

connection::~connection() {
  release_body();
  const std::scoped_lock lock{core_->mutex};
  if (core_->connections.erase(this) == 0)
    return;
  core_->uncount(core_->addresses, counted_as_);
  if (!key_.empty())
    core_->uncount(core_->keys, key_);
}

void connection::start() {
  // Before others know of it, who may close it at once.
  held_ = shared_from_this();
  {
    const std::scoped_lock lock{core_->mutex};
    core_->connections.emplace(this, weak_from_this());
    ++core_->addresses[counted_as_];
  }
  boost::asio::dispatch(strand_, [self = shared_from_this()] {
    if (self->core_->is_stopping)
      return self->close();
    if (!self->transport_.has_tls())
      return self->await_request();
    self->set_deadline(self->is_reserve_ ? reserve_time
                                         : self->core_->limits.request_time);
    self->transport_.handshake(
      boost::asio::bind_executor(self->strand_, [self](error_code failed) {
        if (!failed) {
          self->certificate_names_ = self->transport_.certificate_names();
          return self->await_request();
        }
        const auto& tell = self->core_->tls_refused;
        if (tell && !self->core_->is_stopping)
          tell(self->address_, self->transport_.refusal(failed));
        self->close();
      }));
  });
}

void connection::drain() {
  boost::asio::post(strand_, [self = shared_from_this()] {
    self->keep_alive_ = false;
    if (self->phase_ == phase::idle || self->phase_ == phase::handshake)
      self->close();
    else if (self->phase_ == phase::leaving)
      self->set_deadline(leave_time);
    else if (self->phase_ == phase::streaming && !self->is_sending_)
      self->end_stream();
    else if (self->is_not_to_wait())
      self->stop_waiting();
  });
}

bool connection::is_revoked() const {
  const auto& by = request_.what.by;
  return core_->is_caller && !by.key_id.empty() && !core_->is_caller(by);
}

void connection::check_caller() {
  boost::asio::post(strand_, [self = shared_from_this()] {
    const bool shows = self->phase_ == phase::streaming
                       || (self->phase_ == phase::answering
                           && self->request_.what.method != "POST");
    if (!shows || !self->is_revoked())
      return;
    if (self->phase_ == phase::streaming && !self->is_sending_)
      self->end_stream();
    else
      self->close();
  });
}

void connection::cut() {
  boost::asio::post(strand_, [self = shared_from_this()] { self->close(); });
}

} // namespace convene::server
