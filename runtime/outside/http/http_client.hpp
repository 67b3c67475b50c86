#pragma once

#include <convene/protocol/base/api.hpp>
#include <convene/runtime/outside/http/http_message.hpp>
#include <convene/runtime/outside/http/peer_address.hpp>

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <thread>

namespace convene::host {

struct http_options {
  /// Who may be connected to; unset: public addresses only.
  address_policy may_connect;
  std::string ca_file; ///< certificates to trust; empty: the system's
  /// Of the caller, in PEM; empty: it shows no certificate.
  std::string certificate_file;
  std::string key_file;
  std::size_t calls_max = 10'000; ///< at once
};

/// Makes HTTP/1.1 calls on one thread of its own. TLS certificates are
/// verified; redirects, proxies, .netrc and cookies are not used; answers are
/// not decompressed. Thread-safe.
class http_client {
public:
  using cancel_function = std::function<void()>;

  CONVENE_API explicit http_client(http_options options);

  http_client(const http_client&) = delete;
  http_client& operator=(const http_client&) = delete;

  /// As `end`; but on the loop thread, where the last one to let go may be a
  /// callback, it does not wait: the program's end does.
  CONVENE_API ~http_client();

  /// Calls under way end with `client_stopped`. Waits for the loop thread, also
  /// if calls keep the client. What is asked for later is dropped, and nobody
  /// is called. To be called by the owner, not by callbacks.
  CONVENE_API void end();

  /// Begins a call. `done` is always called later, never from here. The
  /// function returned ends the call and closes its connection; `done` may or
  /// may not be called after it. It may outlive the client and be called on any
  /// thread.
  CONVENE_API cancel_function start(http_request what, when_answered done);

  struct call_control {
    cancel_function cancel; ///< as `start` returns it
    /// There is room again (`http_request::has_room`). May outlive the client
    /// and be called on any thread.
    std::function<void()> go_on;
  };

  /// As `start`.
  CONVENE_API call_control begin(http_request what, when_answered done);

  /// Calls `then` on the loop thread after `delay`, unless the client ends
  /// before. `then` must not block.
  CONVENE_API void after(std::chrono::milliseconds delay,
                         std::function<void()> then);

private:
  struct loop;

  std::shared_ptr<loop> loop_;
  std::jthread thread_;
};

} // namespace convene::host
