#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/protocol/base/timestamp.hpp>
#include <convene/session/machine/report.hpp>

#include <cstddef>
#include <functional>
#include <string_view>

// What the actors need from outside. Implemented by runtime/, and in three
// lines by tests. All of these are called from many threads at once.

namespace convene::actors {

/// Called once when events are durable, or when they can never be.
using when_kept = std::function<void(protocol::result<void>)>;

/// Receives the events of all sessions.
class event_sink {
public:
  virtual ~event_sink() = default;

  /// Appends `count` complete lines, as one unit. May wait briefly while the
  /// sink is full. An error is final: the session that gets it stops.
  virtual protocol::result<void>
  append(std::string_view session_id, std::string_view lines, std::size_t count)
    = 0;

  /// Whether too many events are not yet durable; requests are then delayed.
  /// Cheap.
  [[nodiscard]] virtual bool congested() const noexcept {
    return false;
  }

  /// Whether all events so far are as durable as this sink makes them. If not,
  /// `then` is called once they are, or have failed to become so, after which
  /// no event will be durable: immediately, or later from any thread. It must
  /// not throw, wait or call back. Does not wait itself.
  [[nodiscard]] virtual bool is_durable(when_kept&& /*then*/) {
    return true;
  }
};

/// Provides the current time.
class time_source {
public:
  virtual ~time_source() = default;

  [[nodiscard]] virtual protocol::timestamp_ms now() const = 0;
};

/// Runs jobs that may block, outside the actors.
class blocking_runner {
public:
  virtual ~blocking_runner() = default;

  /// Identifies a job; 0: none.
  using job_id = std::uint64_t;

  /// Returns 0 if there is no room; the job is then dropped.
  virtual job_id try_run(std::function<void()> job) = 0;

  /// The job's result is no longer needed: it need not begin, and if it hangs
  /// it must not keep others from running.
  virtual void abandon(job_id job) = 0;
};

/// Lets other threads in where all actors run in one thread, since time is
/// virtual. Thread-safe.
class outside_door {
public:
  virtual ~outside_door() = default;

  /// Runs `what`, which sends messages, while no actor runs.
  virtual void enter(const std::function<void()>& what) = 0;

  /// Somebody works outside, or no longer does: meanwhile virtual time passes
  /// as real time does.
  virtual void begin_work() = 0;
  virtual void end_work() = 0;
};

/// Notified of answers that arrived after their session had ended and are
/// dropped. Thread-safe.
class late_answers {
public:
  virtual ~late_answers() = default;

  virtual void
  note(std::string_view session_id, std::string_view participant_id)
    = 0;
};

/// Checks participants' replies before they are acted on.
class answer_check {
public:
  virtual ~answer_check() = default;

  /// Turns an invalid reply into a failed one that says why.
  virtual void check(protocol::reply& reply) const = 0;
};

/// Called once with how a session ended, or why it stopped without an end.
/// Called in the session's actor; must not block.
using when_done = std::function<void(protocol::result<session::report>)>;

} // namespace convene::actors
