#pragma once

#include <convene/actors/behaviours/acting.hpp>
#include <convene/runtime/outside/participants/a2a_message.hpp>
#include <convene/runtime/outside/participants/a2a_remote.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

// One attempt at an action of an `a2a` participant; for sources in this folder
// only.

namespace convene::host {

/// Sends a message, or waits for a task to be done. The output is what
/// `read_a2a_answer` reads. Codes of errors: those of http_message.hpp,
/// a2a_agent.hpp, a2a_wire.hpp and a2a_message.hpp; `timed_out`; and
/// `agent_let_go` for a task that was cancelled and that an earlier attempt had
/// begun: we cancelled it when its session was suspended. Thread-safe.
class a2a_attempt : public std::enable_shared_from_this<a2a_attempt> {
public:
  /// Hears of a task that the agent has begun, also after `cancel`.
  using when_begun = std::function<void(const std::string& task_id)>;

  a2a_attempt(std::shared_ptr<a2a_remote> by, const actors::attempt& which,
              actors::when_acted then);

  void send(const protocol::json::object& message, when_begun begun);
  void wait(std::string task_id);

  /// A message that is under way still arrives.
  void cancel();

private:
  using clock = std::chrono::steady_clock;
  using known_agent = a2a_remote::known_agent;

  void find(void (a2a_attempt::*next)());
  void post();
  void poll();
  void poll_later(std::int64_t delay_ms);
  void heard(a2a_remote::outcome got);
  void polled(a2a_remote::outcome got);
  void fail(protocol::action_error why);
  void finish(const a2a_answer& what, protocol::json::object output);
  void end(protocol::action_result result);
  void keep(std::size_t step, http_client::cancel_function how);
  std::size_t begin_step();
  [[nodiscard]] bool is_over();
  [[nodiscard]] std::int64_t left_ms() const;
  http_request prepared(http_request what) const;

  const std::shared_ptr<a2a_remote> by_;
  const actors::attempt which_;
  const clock::time_point end_;
  std::string task_id_;
  protocol::json::object message_;
  when_begun begun_;
  known_agent agent_; ///< like the next two, one step after another
  std::int64_t delay_ms_ = 0;
  std::int64_t failures_ = 0;
  std::mutex mutex_;
  actors::when_acted then_; ///< guarded, like the rest; empty: over
  std::size_t step_ = 0;
  http_client::cancel_function cancel_; ///< of the latest step
};

} // namespace convene::host
