#pragma once

#include <convene/protocol/documents/action.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace convene::host {

struct http_header {
  std::string name;
  std::string value; ///< without line breaks

  bool operator==(const http_header&) const = default;
};

/// Whether HTTP allows it as a header's name or value.
[[nodiscard]] bool is_field_name(std::string_view name) noexcept;
[[nodiscard]] bool is_field_value(std::string_view value) noexcept;

/// A call. Neither its headers nor its body appear in any error.
struct http_request {
  std::string method = "POST";
  std::string url; ///< http or https, without a user name
  std::vector<http_header> headers;
  std::string body;
  std::int64_t timeout_ms = 300'000; ///< of all of it; at least 1
  std::int64_t connect_timeout_ms = 10'000;
  std::size_t body_bytes_max = 8U << 20; ///< of the answer
  /// Whether sending it twice is harmless: only then is a connection used
  /// again, which may have to be replaced after the request was sent.
  bool repeatable = true;
  /// Receives the status and the headers of the final answer, names in lower
  /// case, before its body. Called on the loop thread: must not block or throw.
  std::function<void(int, const std::vector<http_header>&)> on_head;
  /// Receives the answer's body as it arrives, unless the status is an error;
  /// then `http_answer::body` stays empty. False ends the call successfully.
  /// Called on the loop thread: must not block.
  std::function<bool(std::string_view)> on_data;
  /// Whether `on_data` also receives the body of an error status, which is no
  /// error then.
  bool takes_errors = false;
  /// Asked before each part of the body, on the loop thread; false: no more is
  /// received until `http_client::call_control::go_on` is called. May be empty.
  std::function<bool()> has_room;
  /// Where to connect, as "10.0.0.1:8443", in place of the URL's host and port;
  /// the certificate must still have the URL's name. Empty: to these.
  std::string connect_to;
  /// The call fails if nothing arrives for so long while there is room; 0: it
  /// does not. In whole seconds.
  std::chrono::seconds silence{0};
};

/// What came of a call. Codes of `error`:
/// - `url_invalid`, `header_invalid`: nothing was sent;
/// - `scheme_refused`, `address_refused`: it is not allowed;
/// - `redirect_refused`: redirects are not followed; the message says where to;
/// - `host_unknown`, `connect_failed`, `connection_lost`, `timed_out`:
/// transient;
/// - `tls_failed`: no secure connection, for example a wrong certificate;
/// - `answer_bytes_max`, `answer_header_bytes_max`: the answer is too long;
/// - `answer_unreadable`: it is not HTTP;
/// - `rate_limited` (429), `server_error` (5xx), `http_status` (other ones);
/// - `http_calls_max`: the client has too many calls;
/// - `client_stopped`: the client was destroyed.
/// Transient are, besides the above, 429, 500, 502, 503, 504 and 529.
struct http_answer {
  int status = 0; ///< 0: none arrived
  std::string content_type;
  std::string body; ///< of an error status: the first `error_body_bytes_max`
  protocol::action_error error; ///< empty `code`: none
  /// What the header `x-should-retry` says.
  std::optional<bool> should_retry = {};

  static constexpr std::size_t error_body_bytes_max = 64U << 10;

  [[nodiscard]] bool is_ok() const noexcept {
    return error.code.empty();
  }
};

/// Called once, on the loop thread: must not block or throw.
using when_answered = std::function<void(http_answer)>;

} // namespace convene::host
