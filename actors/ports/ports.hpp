#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/protocol/base/timestamp.hpp>
#include <convene/session/machine/report.hpp>

#include <functional>
#include <string_view>

// What the actors need from outside. runtime/ implements it; tests use three
// lines. All of these are called from many threads at once.

namespace convene::actors {

/// Told once that events are kept, or that they never will be.
using when_kept = std::function<void(protocol::result<void>)>;

/// Takes the events of all sessions.
class event_sink {
public:
  virtual ~event_sink() = default;

  /// Appends complete lines, in one piece. May wait for a moment where the
  /// sink is full. An error is final: the session that gets it stops.
  virtual protocol::result<void>
  append(std::string_view session_id, std::string_view lines) = 0;

  /// Whether more waits to be kept than should: requests wait as well then.
  /// Cheap.
  [[nodiscard]] virtual bool congested() const noexcept {
    return false;
  }

  /// Whether all events so far are as safe as this sink makes them. If not,
  /// `then` is told once they are, or have failed to be, in which case nothing
  /// will be kept any more: at once, or later from any thread. It must not
  /// throw, wait or call back. Does not wait itself.
  [[nodiscard]] virtual bool is_durable(when_kept /*then*/) {
    return true;
  }
};

/// Says what time it is.
class time_source {
public:
  virtual ~time_source() = default;

  [[nodiscard]] virtual protocol::timestamp_ms now() const = 0;
};

/// Runs what may block, outside the actors.
class blocking_runner {
public:
  virtual ~blocking_runner() = default;

  /// Names a job; 0: none.
  using job_id = std::uint64_t;

  /// 0 if there is no room; then the job is gone.
  virtual job_id try_run(std::function<void()> job) = 0;

  /// Nobody waits for the job any more: it need not begin, and if it hangs it
  /// must not keep others from running.
  virtual void abandon(job_id job) = 0;
};

/// Is told of answers that came after their session had ended: they reach
/// nobody. Thread-safe.
class late_answers {
public:
  virtual ~late_answers() = default;

  virtual void
  note(std::string_view session_id, std::string_view participant_id)
    = 0;
};

/// Looks at what participants say before anybody acts on it.
class answer_check {
public:
  virtual ~answer_check() = default;

  /// Makes a reply that is not as it must be a failed one that says why.
  virtual void check(protocol::reply& reply) const = 0;
};

/// Is told once how a session ended, or why it stopped without an end. Called
/// in the session's actor: must not block.
using when_done = std::function<void(protocol::result<session::report>)>;

} // namespace convene::actors
