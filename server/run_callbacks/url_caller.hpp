#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/runtime/outside/http/http_client.hpp>
#include <convene/runtime/outside/http/http_message.hpp>
#include <convene/runtime/outside/permissions/permissions.hpp>

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace convene::server {

/// Calls URLs that clients of the server have named, as far as its operator
/// allows it: hosts that are named, or any with a public address, where the
/// address itself is looked at. `start` and `stop` are for one thread at a
/// time; the rest is thread-safe.
class url_caller {
public:
  /// Calls are signed by the secret unless it is empty.
  url_caller(host::permissions allow, std::string secret);

  /// Whether there is any host that may be called.
  [[nodiscard]] bool reaches_any() const {
    return allow_.reaches_any();
  }

  /// Whether a URL may be called. Rules: `url_invalid`, `scheme_refused`,
  /// `callback_url_bytes_max`, and `permission_needed`, which says with which
  /// flags the server is to be started.
  [[nodiscard]] protocol::result<void> check(std::string_view url) const;

  /// Makes a call to a URL that may be called. `then` is called on a thread of
  /// the client, and not at all after `stop`.
  void start(host::http_request what,
             std::function<void(host::http_answer)> then);

  /// Calls that are under way end, with the error `client_stopped`.
  void stop();

  static constexpr std::size_t url_bytes_max = 2'048;
  static constexpr std::size_t calls_at_once = 256;

private:
  const host::permissions allow_;
  const std::string secret_;
  std::unique_ptr<host::http_client> client_; ///< null: none may be called
};

/// How long after each attempt that failed, but may succeed later, the next one
/// is made; after the last of them there is none.
[[nodiscard]] std::vector<std::chrono::milliseconds> pauses_between_calls();

/// Whether a call that failed may succeed later.
[[nodiscard]] bool is_worth_another(const host::http_answer& what);

/// "http://host:port", which is all of a URL that the diagnostics name.
[[nodiscard]] std::string named_by_host(const std::string& url);

/// Why a call failed, for the diagnostics: without its URL's path.
[[nodiscard]] std::string reason_of(const host::http_answer& what);

} // namespace convene::server
