#pragma once

#include <convene/runtime/outside/participants/a2a_agent.hpp>
#include <convene/runtime/outside/participants/a2a_settings.hpp>
#include <convene/runtime/outside/participants/a2a_surroundings.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

// A remote agent as one participant knows it; for sources in this folder only.

namespace convene::host {

/// Calls an agent. Its card is read by the first call, and again by the first
/// one after a call that failed. Thread-safe.
class a2a_remote : public std::enable_shared_from_this<a2a_remote> {
public:
  using known_agent = std::shared_ptr<const a2a_agent>;
  using outcome = tl::expected<protocol::json::object, protocol::action_error>;
  using when_found
    = std::function<void(tl::expected<known_agent, protocol::action_error>)>;
  using when_heard = std::function<void(outcome)>;

  a2a_remote(a2a_settings settings, a2a_surroundings with)
    : settings_(std::move(settings)), with_(std::move(with)) {
    // nop
  }

  [[nodiscard]] const a2a_settings& settings() const noexcept {
    return settings_;
  }

  /// Reads the card unless it is known. May call back before it returns.
  http_client::cancel_function find(std::int64_t timeout_ms, when_found then);

  /// One operation (a2a_wire.hpp).
  http_client::cancel_function call(const known_agent& to, http_request what,
                                    when_heard then);

  /// Calls `then` later, on the thread of the client.
  void after(std::chrono::milliseconds delay, std::function<void()> then) {
    with_.http->after(delay, std::move(then));
  }

  /// Nobody waits for the task any more: cancels it, whatever comes of that.
  void part_from(const std::string& task_id);

private:
  protocol::action_error told(protocol::action_error why);

  const a2a_settings settings_;
  const a2a_surroundings with_;
  std::mutex mutex_;
  known_agent agent_; ///< guarded; null: not known
};

} // namespace convene::host
