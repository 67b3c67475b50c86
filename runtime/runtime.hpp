#pragma once

#include <convene/protocol/base/api.hpp>
#include <convene/runtime/setup.hpp>

#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string_view>

namespace convene::host {
struct runtime_access;
struct session_documents;
} // namespace convene::host

namespace convene {

/// What a runtime is made with.
struct runtime_options {
  /// Worker threads for actors; 0: one for each core.
  std::size_t threads = 0;
  /// Where all events go: a file, or a folder that is there, which gets one
  /// segment after the other. Empty: nowhere, sessions run in memory.
  std::filesystem::path log;
  /// When an event on the log counts as kept. With `group` and `strict` the end
  /// of a session is told, by `await` and all that follows from it, only once
  /// it is on the disk. With `strict` a participant who acts outside (a C++
  /// function) is asked only once all that led to it is. An error of the disk
  /// is final: sessions stop with it (`io_failed`), and nothing is told.
  convene::durability durability = convene::durability::group;
  /// A segment of this size is not written on.
  std::uint64_t log_segment_bytes = std::uint64_t{64} << 20;
  /// Of a folder: when a segment is begun and those before it have more bytes
  /// than this, the first ones are removed, as far as nobody needs them: never
  /// one with events of a session that has not ended, nor one behind it. 0: all
  /// are kept. What was removed is forgotten: an id of one's own can be used
  /// again. Not under virtual time (`not_allowed`).
  std::uint64_t log_keep_bytes = 0;
  /// A running session's state is saved beside the log (docs/reliability.md)
  /// after so many of its events, or more where it is large; going on with it
  /// then computes only what came since: some microseconds for each event. 0:
  /// never, and none is used.
  std::uint64_t snapshot_events = 500'000;
  /// Set: time is virtual, starts at `virtual_start` and passes only while
  /// everybody waits; everything runs in the threads that call `await`, one at
  /// a time, so that the same seed and setups give the same events.
  std::optional<std::uint64_t> seed;
  protocol::timestamp_ms virtual_start = 1767225600000; ///< 2026-01-01T00:00Z
  /// For behaviours that block.
  std::size_t blocking_threads = 32;
  std::size_t blocking_queue = 4096;
  /// Sessions that may run at once. One more is refused (`limit_reached`).
  std::size_t sessions_max = 1'000'000;
  /// What is validated against the schemas.
  validation_level validation = validation_level::boundary;
  /// With `boundary`: each event once more, as the bytes that it became.
  bool revalidate = false;
};

/// What validation has found since the runtime was made.
struct validation_counts {
  std::uint64_t inputs_refused = 0; ///< scenarios and replies
  /// Sessions with an event, and sets of documents, that were not as the
  /// schemas want them: faults of ours, each of them logged.
  std::uint64_t outputs_refused = 0;
};

/// Gets a session's events as they are logged: complete lines, in order.
/// Called on a worker thread; must not block. One that throws stops its session
/// with an error.
using observer
  = std::function<void(std::string_view session_id, std::string_view lines)>;

/// What a session may be started with besides its scenario.
struct start_options {
  convene::observer observer;
  /// By participant id: functions in place of the scenario's behaviours.
  std::map<std::string, participant> functions;
  /// By name: the scenario's conditions `custom`, all of them.
  std::map<std::string, condition_function> conditions;
};

/// How sessions that the log holds already are gone on with.
struct recovery_options {
  /// By participant id, for every session: functions in place of what the
  /// recorded scenario says. A participant whom a function answered for needs
  /// one again.
  std::map<std::string, participant> functions;
  /// By name: the sessions' conditions `custom`.
  std::map<std::string, condition_function> conditions;
  /// Who observes a session: is shown what the log has of it, then what comes.
  /// The log is shown session by session, of several at the same time on
  /// different threads (of one, under virtual time).
  std::function<observer(const std::string& session_id)> observe;
  /// Which of the sessions that have ended are told of, with their results;
  /// unset: none. Asked while the log is read: it may yet prove damaged.
  std::function<bool(const std::string& session_id)> wants_ended;
  /// Whether suspended sessions are resumed; else they stay suspended.
  bool resume_suspended = false;
};

/// A started session. Copies stand for the same session. Thread-safe; must not
/// outlive its runtime, save for `await` on a session that has ended.
class session_handle {
public:
  /// The session's id, which is its Collab's.
  [[nodiscard]] CONVENE_API const std::string& id() const noexcept;

  /// Waits until the session has ended. An error says why it could not start
  /// or had to stop, or, under virtual time, that nothing is left that could
  /// end it, such as a suspended session. Not for a participant's function or
  /// an observer.
  [[nodiscard]] CONVENE_API result<session_result> await() const;

  /// The same, but gives up after `limit`: nothing. Under virtual time there is
  /// no limit.
  [[nodiscard]] CONVENE_API std::optional<result<session_result>>
  await_for(std::chrono::milliseconds limit) const;

  /// Waits as `await` does, in the middle of a turn of another session of any
  /// runtime: if that turn is closed first (its time is over, its session ends
  /// or is suspended), this session is cancelled. For functions of blocking
  /// participants; the waiting thread is one of the pool, which bounds how many
  /// sessions can be nested.
  [[nodiscard]] CONVENE_API result<session_result>
  await_in(const turn_request& turn) const;

  /// Closes what is outstanding and keeps everybody still until `resume`.
  CONVENE_API void suspend(std::string reason) const;
  CONVENE_API void resume() const;

  /// Ends the session as completed, with stop_reason `stopped`; where its `end`
  /// has the condition `stopped`, that decides. A suspended session ends once
  /// it is resumed.
  CONVENE_API void stop(std::string reason) const;

  /// Ends the session as cancelled.
  CONVENE_API void cancel(std::string reason) const;

private:
  friend class runtime;
  struct state;

  explicit session_handle(std::shared_ptr<state> s) : state_(std::move(s)) {}

  std::shared_ptr<state> state_;
};

/// What a runtime found on its log when it was opened.
struct recovery {
  /// In the order in which they began: the sessions that have not ended, and
  /// those that have as far as they were wanted. `await` of one says why it
  /// could not go on: the log is not what its machine makes of the recorded
  /// inputs (`replay_diverged`), or somebody's function is missing
  /// (`participant_unbound`); then it stands on the log as it did.
  std::vector<session_handle> sessions;
  std::vector<std::string> on_log; ///< the ids of all sessions there
  std::uint64_t events = 0;
  std::uint64_t bytes_cut = 0; ///< of a torn tail, never acknowledged
};

/// Runs sessions. Thread-safe. Its destructor cancels what still runs.
class runtime {
public:
  /// Throws `std::runtime_error` if the log cannot be opened; see `open`.
  CONVENE_API explicit runtime(const runtime_options& how = {});

  /// A log that is there is written on, and its sessions are gone on with:
  /// each machine is fed with its recorded inputs and what it makes compared
  /// with the log, what has expired is closed, what is outstanding is asked
  /// again under the same token and turn number.
  [[nodiscard]] CONVENE_API static result<std::unique_ptr<runtime>>
  open(const runtime_options& how, const recovery_options& with = {});

  [[nodiscard]] CONVENE_API const recovery& recovered() const noexcept;

  runtime(const runtime&) = delete;
  runtime& operator=(const runtime&) = delete;
  CONVENE_API ~runtime();

  /// Starts a session. What is wrong with it comes out of `await`.
  CONVENE_API session_handle start(const session_setup& setup,
                                   observer watch = {});
  CONVENE_API session_handle start(session::spec scenario,
                                   start_options how = {});

  /// Whether the documents of a session may be written; what is wrong with
  /// them is a fault of ours, logged and counted.
  [[nodiscard]] CONVENE_API result<void>
  check_documents(const host::session_documents& documents);

  [[nodiscard]] CONVENE_API validation_counts refused() const noexcept;

  /// Answers that came after their session had ended: they changed nothing and
  /// are on no log but the diagnostic one.
  [[nodiscard]] CONVENE_API std::uint64_t late_answers() const noexcept;

  /// Functions of blocking participants that still run though their requests
  /// were closed. Each gets a substitute for its thread, up to 64.
  [[nodiscard]] CONVENE_API std::size_t hung_functions() const;
  /// Starts no more sessions and suspends those that run, so that they can be
  /// gone on with from the log; `await` of them gives the error
  /// `session_suspended`. Does not wait.
  CONVENE_API void suspend_all(std::string reason);

  /// Waits until all events so far are in the log file.
  [[nodiscard]] CONVENE_API result<void> flush();

  /// Cancels what still runs, waits for its end, closes the log.
  [[nodiscard]] CONVENE_API result<void> close();

private:
  friend struct host::runtime_access;
  struct implementation;

  explicit runtime(std::unique_ptr<implementation> made);

  std::unique_ptr<implementation> implementation_;
};

} // namespace convene
