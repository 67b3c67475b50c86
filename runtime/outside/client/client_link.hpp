#pragma once

#include <convene/runtime/outside/client/client.hpp>
#include <convene/runtime/outside/client/server_answer.hpp>
#include <convene/runtime/outside/http/http_client.hpp>

#include <stop_token>
#include <string>

// How a client calls its server; for sources in this folder only.

namespace convene {

class client::link {
public:
  explicit link(client_options options);

  /// A request for a path below the server's, with the key.
  [[nodiscard]] host::http_request request(std::string method,
                                           const std::string& path) const;

  /// Makes a call and waits for its answer. Empty: a stop was requested.
  [[nodiscard]] std::optional<host::http_answer>
  wait_for(host::http_request what, const std::stop_token& stop);

  /// Likewise; the object that was answered. A stop is `call_stopped`.
  [[nodiscard]] protocol::result<boost::json::object>
  call(host::http_request what, const std::stop_token& stop = {});
  [[nodiscard]] protocol::result<boost::json::object>
  get(const std::string& path);
  [[nodiscard]] protocol::result<boost::json::object>
  post(const std::string& path, std::string body,
       std::string_view idempotency_key = {}, const std::stop_token& stop = {});

  [[nodiscard]] const client_options& options() const noexcept {
    return options_;
  }
  [[nodiscard]] host::http_client& http() noexcept {
    return http_;
  }

private:
  client_options options_;
  host::http_client http_;
};

} // namespace convene
