#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <openssl/ssl.h>
#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace convene::server {

/// A connection's bytes, with TLS or without.
class transport {
public:
  using socket = boost::asio::ip::tcp::socket;

  transport(socket taken, boost::asio::ssl::context* tls)
    : socket_{std::move(taken)} {
    if (tls != nullptr)
      tls_ = std::make_unique<boost::asio::ssl::stream<socket&>>(socket_, *tls);
  }

  [[nodiscard]] bool has_tls() const {
    return tls_ != nullptr;
  }

  [[nodiscard]] socket& plain() {
    return socket_;
  }

  template <class Handler>
  void handshake(Handler done) {
    tls_->async_handshake(boost::asio::ssl::stream_base::server,
                          std::move(done));
  }

  /// Why a handshake failed.
  [[nodiscard]] std::string refusal(const boost::system::error_code& why) {
    if (const auto verified = SSL_get_verify_result(tls_->native_handle());
        verified != X509_V_OK)
      return X509_verify_cert_error_string(verified);
    return why.message();
  }

  /// The DNS names in the certificate that the client has shown, in lower case;
  /// null: it has shown none.
  [[nodiscard]] std::shared_ptr<const std::vector<std::string>>
  certificate_names();

  template <class Buffers, class Handler>
  void read_some(const Buffers& into, Handler done) {
    if (tls_)
      tls_->async_read_some(into, std::move(done));
    else
      socket_.async_read_some(into, std::move(done));
  }

  template <class Buffers, class Handler>
  void write_some(const Buffers& from, Handler done) {
    if (tls_)
      tls_->async_write_some(from, std::move(done));
    else
      socket_.async_write_some(from, std::move(done));
  }

  template <class Handler>
  void say_goodbye(Handler done) {
    tls_->async_shutdown(std::move(done));
  }

  /// `sends` and `sent_all`: there is something to read; in the latter case it
  /// is the last. `ended`: there is nothing, and nothing will come.
  enum class peer_state { silent, sends, sent_all, ended, gone };

  /// What a readable socket has, without taking it.
  [[nodiscard]] peer_state look() {
    pollfd now{socket_.native_handle(), POLLRDHUP, 0};
    if (::poll(&now, 1, 0) == 1 && (now.revents & (POLLERR | POLLHUP)) != 0)
      return peer_state::gone;
    char one = 0;
    const auto got = ::recv(socket_.native_handle(), &one, 1,
                            MSG_PEEK | MSG_DONTWAIT);
    if (got > 0)
      return (now.revents & POLLRDHUP) != 0 ? peer_state::sent_all
                                            : peer_state::sends;
    if (got == 0)
      return peer_state::ended;
    return errno == EAGAIN || errno == EINTR ? peer_state::silent
                                             : peer_state::gone;
  }

private:
  socket socket_;
  std::unique_ptr<boost::asio::ssl::stream<socket&>> tls_;
};

} // namespace convene::server
