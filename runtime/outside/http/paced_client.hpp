#pragma once

#include <convene/protocol/base/api.hpp>
#include <convene/runtime/outside/http/call_pace.hpp>
#include <convene/runtime/outside/http/http_client.hpp>

#include <functional>
#include <memory>
#include <string_view>

namespace convene::host {

/// Makes calls within limits that all callers of a provider share. Calls wait
/// for their turn in a queue, in order. Thread-safe.
class paced_client {
public:
  CONVENE_API explicit paced_client(std::shared_ptr<http_client> by);

  paced_client(const paced_client&) = delete;
  paced_client& operator=(const paced_client&) = delete;

  /// Calls that wait end with `client_stopped`; those under way go on.
  CONVENE_API ~paced_client();

  /// Like `http_client::start`; the time of waiting counts. `provider` names
  /// whose limits count: the first call for it sets them. `tokens`: about how
  /// many it will use. `used` says after `done` how many it did use, below 0:
  /// unknown. Further codes of errors: `provider_queue_full`, and
  /// `timed_out` also for a call that never began. A 429, 503 or 529 with
  /// `Retry-After` pauses the provider for that time.
  CONVENE_API http_client::cancel_function
  start(std::string_view provider, const call_limits& limits,
        std::int64_t tokens, http_request what, when_answered done,
        std::function<std::int64_t()> used = {});

  /// As `http_client::after`.
  CONVENE_API void after(std::chrono::milliseconds delay,
                         std::function<void()> then);

private:
  struct shared_state;

  std::shared_ptr<shared_state> state_;
};

} // namespace convene::host
