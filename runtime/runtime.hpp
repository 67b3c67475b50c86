#pragma once

#include <convene/protocol/base/api.hpp>
#include <convene/runtime/log/event_bus/subscription.hpp>
#include <convene/runtime/outside/outside.hpp>
#include <convene/runtime/outside/permissions/permissions.hpp>
#include <convene/runtime/session_state.hpp>
#include <convene/runtime/setup.hpp>

#include <chrono>
#include <coroutine>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace convene::host {
class log_companion;
class state_store;
struct runtime_access;
struct session_documents;
} // namespace convene::host

namespace convene {

/// The library's: "0.2.0".
[[nodiscard]] CONVENE_API std::string_view version() noexcept;

/// A function that receives the events of a runtime beside its log.
struct event_sink {
  /// Which events, and what becomes of them if `take` is slow: `skip` and
  /// `detach` never keep a session waiting, `wait` does. Under virtual time
  /// `wait` is refused (`virtual_time`).
  subscription_options how = {};
  /// Called for one delivery at a time, on a thread of the sink's own. If it
  /// throws, it gets nothing more. Must return, and must not close the runtime.
  std::function<void(const delivery&)> take;
};

/// Makes what answers for a participant of a scenario whose behavior has the
/// type `application`, out of its `settings`. Called by `start`, and when a log
/// is opened that has such a session. The id and the role are set by the
/// runtime.
using behaviour_maker = std::function<result<participant>(
  const protocol::json::object& settings, const std::string& participant_id)>;

/// How a runtime is configured.
struct runtime_options {
  /// Worker threads for actors; 0: one for each core.
  std::size_t threads = 0;
  /// Where all events are written: a file, or an existing folder, which gets
  /// one segment after another. Empty: nowhere, sessions run in memory.
  std::filesystem::path log;
  /// When an event on the log counts as durable. With `group` and `strict` the
  /// end of a session is reported, by `await` and everything that follows from
  /// it, only once it is on disk. With `strict` a participant that acts outside
  /// the session (a C++ function) is asked only once everything that led to the
  /// request is on disk. A disk error is final: sessions stop with it
  /// (`io_failed`), and nothing is reported.
  convene::durability durability = convene::durability::group;
  /// A segment that has reached this size is closed.
  std::uint64_t log_segment_bytes = std::uint64_t{64} << 20;
  /// For a folder: when a new segment is begun and those before it exceed this
  /// size in total, the oldest are removed as far as they are no longer needed:
  /// never one with events of a session that has not ended, nor any after it.
  /// 0: all are retained. What was removed is forgotten: a caller-chosen id can
  /// be used again. Not under virtual time (`not_allowed`).
  std::uint64_t log_keep_bytes = 0;
  /// The same for segments that were last written to longer ago, whatever the
  /// size of the log; a segment is closed once its first event is an eighth of
  /// this old. 0: age does not matter.
  std::chrono::milliseconds log_keep_time{0};
  /// Notified of what a log that removes segments loses; none of them null.
  std::vector<std::shared_ptr<host::log_companion>> log_companions = {};
  /// The state of a running session is saved beside the log
  /// (docs/reliability.md) after this many of its events, or more if the state
  /// is large; resuming the session then replays only later events, at some
  /// microseconds each. 0: snapshots are neither made nor used.
  std::uint64_t snapshot_events = 500'000;
  /// If set, time is virtual: it starts at `virtual_start` and advances only
  /// while everybody waits. Everything runs in the threads that call `await`,
  /// one at a time, so that the same seed and setups give the same events.
  std::optional<std::uint64_t> seed;
  protocol::timestamp_ms virtual_start = 1767225600000; ///< 2026-01-01T00:00Z
  /// For behaviours that block.
  std::size_t blocking_threads = 32;
  std::size_t blocking_queue = 4096;
  /// Sessions that may run at once; beyond that, `limit_reached`.
  std::size_t sessions_max = 1'000'000;
  /// What is validated against the schemas.
  validation_level validation = validation_level::boundary;
  /// With `boundary`: also validates each event in its encoded form.
  bool revalidate = false;
  /// What the participants of scenarios may reach outside of their sessions
  /// (docs/agents.md); nothing by default. Functions of the application are not
  /// concerned.
  host::permissions allow;
  /// Programs that participants run work in folders below it. Empty: in a
  /// temporary one, which is removed at the end.
  std::filesystem::path work_folder;
  bool sandbox = false; ///< programs run under bubblewrap
  /// Files and folders, besides the log's and `work_folder`, that sandboxed
  /// programs must not replace: none of these gets a working folder that
  /// contains one of them or lies in one.
  std::vector<std::filesystem::path> guarded;
  bool log_prompts = false; ///< the log has what models are asked, too
  /// Where people are asked, by behaviours of the type human; null: nowhere.
  std::shared_ptr<host::people> people;
  /// Makes participants that run on other nodes of a cluster; null: there are
  /// none. Set by a server that is a node.
  std::shared_ptr<actors::behaviour_source> other_nodes = {};
  /// Receives the text of models as it arrives; may be empty.
  host::text_observer on_text;
  /// Tools for models: `tools` of a participant of type llm can name them, by
  /// names without a slash; of two with the same name the first counts. Agents
  /// of the application need none of this: `live_turn::act` takes an executor.
  std::vector<executor> executors = {};
  /// By name: behaviors for scenarios, which refer to them by
  /// `{"type": "application", "name": ..., "settings": {...}}`.
  std::map<std::string, behaviour_maker> behaviours = {};
  /// Receive events from the first one that is logged on. `close` waits until
  /// they have taken the last one.
  std::vector<event_sink> sinks = {};
  /// Gets the documents of each session that has ended, and when the runtime is
  /// closed the events on its log: an application's own store, or one of
  /// convene's (docs/state.md). May be null. `flush` and `close` wait for it,
  /// and return its first error, after which nothing more is stored; sessions
  /// continue. A runtime that opens the log again stores what is missing. Not
  /// together with `log_keep_bytes` and `log_keep_time` (`store`).
  std::shared_ptr<host::state_store> store = {};
};

/// What validation has found since the runtime was created.
struct validation_counts {
  std::uint64_t inputs_refused = 0; ///< scenarios and replies
  /// Sessions with an event, and sets of documents, that violate the schemas:
  /// internal faults, each of them logged.
  std::uint64_t outputs_refused = 0;
};

/// Receives a session's events as they are logged: complete lines, in order.
/// Called on a worker thread; must not block. If it throws, its session stops
/// with an error.
using observer
  = std::function<void(std::string_view session_id, std::string_view lines)>;

/// Options for starting a session from a scenario.
struct start_options {
  convene::observer observer;
  /// By participant id: functions that replace the scenario's behaviours. The
  /// one under "*" is for all that have neither a function nor a behavior. Id
  /// and role are those of the scenario.
  std::map<std::string, participant> functions;
  /// By name: functions for all `custom` conditions of the scenario.
  std::map<std::string, condition_function> conditions;
};

/// How sessions that are already on the log are resumed.
struct recovery_options {
  /// By participant id, for every session: functions that replace the
  /// behaviours of the recorded scenario. A participant that a function
  /// answered for needs one again, its own or the one under "*".
  std::map<std::string, participant> functions;
  /// By name: functions for the sessions' `custom` conditions.
  std::map<std::string, condition_function> conditions;
  /// Returns the observer of a session, which is shown what the log has of it,
  /// then what follows. The log is shown session by session, for several at the
  /// same time on different threads (one, under virtual time).
  std::function<observer(const std::string& session_id)> observe;
  /// Selects ended sessions to report with their results; unset: none. Called
  /// while the log is read, which may yet turn out to be damaged.
  std::function<bool(const std::string& session_id)> wants_ended;
  /// Whether suspended sessions are resumed; otherwise they stay suspended.
  bool resume_suspended = false;
  /// Ids of sessions that are known to have ended, for example because their
  /// results are stored. A log that lacks the end of one has lost what was
  /// acknowledged: it is refused (`session_end_missing`) and left unchanged.
  /// Sessions whose segments were removed are not missing.
  std::vector<std::string> known_ended = {};
  /// Opens such a log all the same: what it lacks is given up, and sessions
  /// whose end is missing are resumed. Also if the log's own record of ended
  /// sessions says that something is missing.
  bool accept_loss = false;
  /// If set, `recovery::subscribed` gets the events that are logged after those
  /// that were found, from the first one on.
  std::optional<subscription_options> subscribe = {};
};

/// Receives a session's result.
using when_ended = std::function<void(const result<session_result>&)>;

class session_awaiter;

/// A started session. Copies refer to the same session. Thread-safe; must not
/// outlive its runtime, except for `await` on a session that has ended.
class session_handle {
public:
  /// The session's id, which is also the id of its Collab.
  [[nodiscard]] CONVENE_API const std::string& id() const noexcept;

  /// Waits until the session has ended. An error says why it could not start or
  /// had to stop, or, under virtual time, that nothing is left that could end
  /// it (for example, it is suspended). Where the wait could never end it is
  /// refused (`await_inside`): on a thread that runs the runtime's sessions,
  /// which is where observers, conditions and the functions of quick and
  /// asynchronous agents are called, and in a turn of this session.
  [[nodiscard]] CONVENE_API result<session_result> await() const;

  /// The error that `start` refused the session with; unset: it was started.
  /// Never blocks.
  [[nodiscard]] CONVENE_API std::optional<error> refused() const;

  /// Like `await`, but returns nothing after `limit`. With a limit of 0 or less
  /// it never blocks and runs nothing; any other is no limit under virtual
  /// time.
  [[nodiscard]] CONVENE_API std::optional<result<session_result>>
  await_for(std::chrono::milliseconds limit) const;

  /// How the session stands. Takes no lock, and no turn waits for it: cheap
  /// enough to ask a thousand sessions in each frame of a game.
  [[nodiscard]] CONVENE_API session_state state() const;

  /// Has `then` called once with what `await` returns: by the thread that ends
  /// the session, which may be one that runs other sessions, too, so it must
  /// not block, nor close the runtime; or at once, if the session has ended.
  /// `close` waits for it. What it throws is only in the diagnostic log.
  CONVENE_API void on_end(const when_ended& then) const;

  /// Waits in a coroutine, which is resumed as `on_end` says.
  [[nodiscard]] session_awaiter operator co_await() const;

  /// What a session has done that `suspend_all` suspended, with the status
  /// suspended, once `await` has returned; null for any other.
  [[nodiscard]] CONVENE_API std::shared_ptr<const session_result> left() const;

  /// Like `await`, but called during a turn of another session, of any runtime:
  /// if that turn is closed first (it timed out, or its session ended or was
  /// suspended), this session is cancelled. For functions of blocking
  /// participants; the waiting thread belongs to the pool, which bounds how
  /// many sessions can be nested.
  [[nodiscard]] CONVENE_API result<session_result>
  await_in(const turn_request& turn) const;

  /// Closes all open requests and issues no more until `resume`.
  CONVENE_API void suspend(std::string reason) const;
  CONVENE_API void resume() const;

  /// Ends the session as completed, with stop_reason `stopped`; if its `end`
  /// has the condition `stopped`, that condition decides. A suspended session
  /// ends once it is resumed.
  CONVENE_API void stop(std::string reason) const;

  /// Ends the session as cancelled.
  CONVENE_API void cancel(std::string reason) const;

  /// Says something that is no answer: requests after it show it in their
  /// dialog. `participant_id` is who says it, of kind human or external; empty:
  /// whoever uses the session. `then` is called once, on any thread, when it
  /// was taken, which is not yet durable, or with the rule that refused it
  /// (`session::machine::may_take`); not if the session is stopped
  /// before.
  CONVENE_API void message(std::string content, std::string participant_id,
                           std::function<void(result<void>)> then) const;

private:
  friend class runtime;
  friend class session_awaiter;
  struct shared;

  explicit session_handle(std::shared_ptr<shared> s) : state_(std::move(s)) {}

  /// As `on_end`, but false, without a call, if it has ended.
  [[nodiscard]] CONVENE_API bool notify(when_ended then) const;

  std::shared_ptr<shared> state_;
};

/// What `co_await` waits by.
class session_awaiter {
public:
  explicit session_awaiter(session_handle session)
    : session_{std::move(session)} {}

  [[nodiscard]] bool await_ready() const noexcept {
    return false;
  }

  [[nodiscard]] bool await_suspend(std::coroutine_handle<> waiting) const {
    return session_.notify([waiting](const auto&) { waiting.resume(); });
  }

  [[nodiscard]] CONVENE_API result<session_result> await_resume() const;

private:
  session_handle session_;
};

inline session_awaiter session_handle::operator co_await() const {
  return session_awaiter{*this};
}

/// What a runtime found on its log when it was opened.
struct recovery {
  /// In the order in which they began: the sessions that have not ended, and
  /// those ended ones that were selected. `await` on one says why it could not
  /// be resumed: the log differs from what its machine produces from the
  /// recorded inputs (`replay_diverged`), it was written under other rules by
  /// another version (`rules_unsupported`), or a participant's function is
  /// missing (`participant_unbound`); its log is then left unchanged.
  std::vector<session_handle> sessions;
  std::vector<std::string> on_log; ///< ids of all sessions on the log
  std::uint64_t events = 0;
  std::uint64_t bytes_cut = 0; ///< of a torn tail, never acknowledged
  /// Set if `recovery_options::subscribe` was.
  std::optional<subscription> subscribed = {};
};

/// Runs sessions. Thread-safe. The destructor cancels sessions still running
/// and gives the functions of blocking agents one second to return; one that
/// does not runs on after it, so call `close` with a time if functions use what
/// is destroyed after the runtime.
class runtime {
public:
  /// Throws `std::runtime_error` if the log cannot be opened; see `open`.
  CONVENE_API explicit runtime(const runtime_options& how = {});

  /// Appends to an existing log and resumes its sessions: each machine is fed
  /// its recorded inputs and its output compared with the log; expired requests
  /// are closed; open ones are issued again under the same token and turn
  /// number.
  [[nodiscard]] CONVENE_API static result<std::unique_ptr<runtime>>
  open(const runtime_options& how, const recovery_options& with = {});

  [[nodiscard]] CONVENE_API const recovery& recovered() const noexcept;

  runtime(const runtime&) = delete;
  runtime& operator=(const runtime&) = delete;
  CONVENE_API ~runtime();

  /// Starts a session. If that is refused, `session_handle::refused` returns
  /// the error at once, and so does `await`.
  CONVENE_API session_handle start(const session_setup& setup,
                                   observer watch = {});
  CONVENE_API session_handle start(session::spec scenario,
                                   start_options how = {});
  /// Refuses with the error of a scenario that could not be loaded.
  CONVENE_API session_handle start(result<session::spec> scenario,
                                   start_options how = {});

  /// Reads a scenario for `start`: a file, or a folder of MPLP documents. Under
  /// a seed, ids that it lacks follow from the seed, the scenario and how many
  /// were loaded before.
  [[nodiscard]] CONVENE_API result<session::spec>
  load(const std::filesystem::path& scenario);
  /// The same for a scenario that names no file.
  [[nodiscard]] CONVENE_API result<session::spec>
  load(protocol::json::object scenario);

  /// Under virtual time: runs the sessions until `until`, for loops that drive
  /// the time themselves, and returns the time that was reached. That is less
  /// if a function of an asynchronous agent has not answered yet: time stands
  /// still while it works. It goes at most 200 years past the start, and never
  /// back. Never blocks. Refused in real time (`real_time`) and where `await`
  /// is refused (`await_inside`).
  [[nodiscard]] CONVENE_API result<protocol::timestamp_ms>
  run_until(protocol::timestamp_ms until);

  /// The time of the sessions: virtual, or that of the log.
  [[nodiscard]] CONVENE_API protocol::timestamp_ms now() const;

  /// The sessions that run now, in no particular order.
  [[nodiscard]] CONVENE_API std::vector<session_handle> sessions() const;

  /// The running session with this id.
  [[nodiscard]] CONVENE_API std::optional<session_handle>
  find(const std::string& id) const;

  /// Whether the documents of a session may be written; a violation is an
  /// internal fault, logged and counted.
  [[nodiscard]] CONVENE_API result<void>
  check_documents(const host::session_documents& documents);

  [[nodiscard]] CONVENE_API validation_counts refused() const noexcept;

  /// Number of answers that arrived after their session had ended: they changed
  /// nothing and are only in the diagnostic log.
  [[nodiscard]] CONVENE_API std::uint64_t late_answers() const noexcept;

  /// Number of blocking participants' functions still running although their
  /// requests were closed. Each one's thread is replaced, up to 64.
  [[nodiscard]] CONVENE_API std::size_t hung_functions() const;

  /// Subscribes to the events that are logged from now on, of all sessions or
  /// of those that `how.filter` selects. Each is delivered once it is as
  /// durable as `runtime_options::durability` says (without a log, at once), in
  /// the log's order. A subscriber never keeps a session waiting: its queue is
  /// bounded, and `how.behind` says what happens when it is full. Refuses a
  /// family that no event has (`event_family`), more than 64 subscriptions
  /// (`subscriptions_max`), and `when_behind::wait` under virtual time
  /// (`virtual_time`).
  [[nodiscard]] CONVENE_API result<subscription>
  subscribe(subscription_options how = {});

  /// Starts no more sessions and suspends the running ones, so that they can be
  /// resumed from the log; `await` on them returns the error
  /// `session_suspended`. Does not wait.
  CONVENE_API void suspend_all(const std::string& reason);

  /// Starts no more sessions and stops the running ones where they are, as if
  /// the process had ended: nothing is logged of it, and opening the log again
  /// goes on with them, their open requests under the same tokens. `await` on
  /// them returns the error `session_suspended`. Does not wait.
  CONVENE_API void halt_all();

  /// Waits until all events so far are in the log file, and the documents of
  /// the sessions that have ended in the store.
  [[nodiscard]] CONVENE_API result<void> flush();

  /// Cancels the running sessions, waits for them to end and closes the log.
  /// After 10 s the log is closed all the same, and the error
  /// (`sessions_running`) says how many sessions have not ended.
  /// Does not wait for functions of blocking agents whose turns are over: they
  /// may still run, and use what they captured.
  [[nodiscard]] CONVENE_API result<void> close();

  /// The same, and waits until no such function runs and what they captured is
  /// destroyed, for at most `wait`. After that the log is closed all the same,
  /// and the error (`functions_running`) names the participants whose functions
  /// still run. Not to be called from such a function (`await_inside`).
  [[nodiscard]] CONVENE_API result<void> close(std::chrono::milliseconds wait);

private:
  friend struct host::runtime_access;
  struct implementation;

  explicit runtime(std::unique_ptr<implementation> made);

  std::unique_ptr<implementation> implementation_;
};

} // namespace convene
