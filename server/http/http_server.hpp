#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/server/http/dispatcher.hpp>
#include <convene/server/http/http_limits.hpp>
#include <convene/server/http/request_record.hpp>
#include <convene/server/http/tls_context.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace convene::server {

struct http_server_options {
  std::string address = "127.0.0.1"; ///< of this machine, as a number
  std::uint16_t port = 8080;         ///< 0: one that is free
  /// Under which names requests may come besides the address and, on loopback,
  /// `localhost`.
  std::vector<std::string> names;
  std::vector<std::string> origins; ///< whose pages may use it: CORS
  std::optional<tls_files> tls;
  unsigned threads = 2;
  http_limits limits;
  routes endpoints;
  authenticator authenticate; ///< empty: nobody has to show a key
  caller anybody;             ///< who somebody without a key is then
  request_observer observe;
  /// Asked once a second, on a thread of the server; true: keys have changed.
  /// Whoever has one that `is_caller` does not take any more is shown nothing
  /// further: their streams end. Both may be empty.
  std::function<bool()> keys_changed = {};
  std::function<bool(const caller&)> is_caller = {};
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

  /// Takes no more connections, ends streams of events, and waits up to `grace`
  /// for answers that are under way; then cuts what is left.
  void stop(std::chrono::milliseconds grace);

private:
  struct implementation;
  explicit http_server(std::unique_ptr<implementation> made);

  std::unique_ptr<implementation> implementation_;
};

} // namespace convene::server
