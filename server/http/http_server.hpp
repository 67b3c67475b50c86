#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/server/http/dispatcher.hpp>
#include <convene/server/http/listen_options.hpp>
#include <convene/server/http/request_record.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace convene::server {

struct http_server_options : listen_options {
  routes endpoints;
  authenticator authenticate; ///< empty: nobody has to show a key
  caller anybody;             ///< who somebody without a key is then
  request_observer observe;
  /// Asked once a second, on a thread of the server; true: keys have changed.
  /// Whoever has one that `is_caller` does not take any more is shown nothing
  /// further: their streams end. Both may be empty.
  std::function<bool()> keys_changed = {};
  std::function<bool(const caller&)> is_caller = {};
  /// Answers by Idempotency-Key, shared with another server of the same
  /// endpoints; null: its own.
  std::shared_ptr<kept_answers> answers = {};
  /// Called with a client's address and the reason when TLS with it fails, on a
  /// thread of the server. May be empty.
  std::function<void(std::string_view, std::string_view)> tls_refused = {};
};

/// Serves endpoints by HTTP/1.1, on threads of its own.
class http_server {
public:
  /// Listens when it returns.
  [[nodiscard]] static protocol::result<std::unique_ptr<http_server>>
  start(http_server_options how);

  http_server(const http_server&) = delete;
  http_server& operator=(const http_server&) = delete;
  /// Stops without grace.
  ~http_server();

  [[nodiscard]] std::uint16_t port() const;
  [[nodiscard]] std::string url() const;
  [[nodiscard]] http_counts counts() const;
  /// Whether a thread that reads and writes connections is free within the
  /// time.
  [[nodiscard]] bool responds(std::chrono::milliseconds within) const;

  /// Takes no more connections, ends streams of events, and waits up to `grace`
  /// for answers that are under way; then cuts what is left.
  void stop(std::chrono::milliseconds grace);

private:
  struct implementation;
  explicit http_server(std::unique_ptr<implementation> made);

  std::unique_ptr<implementation> implementation_;
};

} // namespace convene::server
