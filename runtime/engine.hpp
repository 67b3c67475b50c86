#pragma once

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <convene/actors/session.hpp>
#include <convene/actors/timekeeper.hpp>
#include <convene/protocol/boundary/boundary.hpp>
#include <convene/runtime/blocking_pool/blocking_pool.hpp>
#include <convene/runtime/boundary_validator.hpp>
#include <convene/runtime/log/blobs/stored_blobs.hpp>
#include <convene/runtime/log/event_log/session_register.hpp>
#include <convene/runtime/log/recovery/log_ledger.hpp>
#include <convene/runtime/log/recovery/log_replay.hpp>
#include <convene/runtime/log_clock.hpp>
#include <convene/runtime/running_functions.hpp>
#include <convene/runtime/runtime.hpp>
#include <convene/runtime/runtime_counts.hpp>
#include <convene/runtime/session_archive.hpp>
#include <convene/runtime/sinks.hpp>
#include <convene/runtime/snapshots.hpp>
#include <convene/runtime/started_sessions.hpp>
#include <convene/runtime/taken_sessions.hpp>
#include <convene/runtime/virtual_time.hpp>

#include <atomic>
#include <condition_variable>
#include <list>
#include <mutex>
#include <optional>
#include <set>
#include <thread>
#include <unordered_map>

// The implementation behind the facade, not visible in its header.

namespace convene {

/// One started session, shared by its handles and its actor's callback.
struct session_handle::shared {
  std::string id;
  std::optional<host::observed_sink> sink;
  std::optional<host::counting_sink> counted; ///< if snapshots are made
  std::shared_ptr<host::saved_session> saved;
  std::uint64_t unsaved = 0; ///< events not covered by a snapshot
  host::virtual_time* virtual_clock = nullptr; ///< null: time is real
  caf::actor_system* system = nullptr;         ///< for use while it is not done

  // Needed to restart it; only for those who do.
  std::vector<std::shared_ptr<actors::behaviour>> behaviours;
  std::vector<actors::custom_condition> conditions;
  std::map<std::string, int> crashes; ///< by the request whose answer caused it
  std::map<protocol::uuid, std::string> quarantined;

  std::mutex mutex;
  std::condition_variable ended;
  actors::session_actor actor; ///< guarded by mutex; gone once it has ended
  /// While it is restarted: the controls received meanwhile. Guarded by mutex.
  std::optional<std::vector<actors::control>> waiting;
  /// Large, so its room is taken only in the end. Guarded by mutex.
  std::unique_ptr<const result<session_result>> outcome;
  std::shared_ptr<const session_result> left; ///< guarded by mutex
  bool is_refused = false;                    ///< guarded by mutex
  /// Called at the end; guarded by mutex until then.
  std::vector<convene::when_ended> when_ended;

  actors::session_board board;
  /// Never changes once its actor runs.
  std::shared_ptr<const session::session_info> about;

  /// It was not started.
  void refuse(error why);
  /// Why the caller would wait for ever; unset: it may wait.
  [[nodiscard]] std::optional<error> refuse_wait();
  void finish(result<session_result> how);
  void call_those_waiting();
  /// Is left as it stands: suspended.
  void leave(session_result so_far);
  [[nodiscard]] bool is_done();
  /// Whether it has begun, and not ended.
  [[nodiscard]] bool takes_controls();
  void send(actors::control::verb what, std::string reason) {
    send({.what = what, .reason = std::move(reason)});
  }
  void send(actors::control what);
};

namespace host {

/// Settings of the actor system: our messages, the scheduler, no logger.
class system_config : public caf::actor_system_config {
public:
  explicit system_config(const runtime_options& how);
};

class late_counter final : public actors::late_answers {
public:
  void note(std::string_view session_id,
            std::string_view participant_id) override;

  std::atomic<std::uint64_t> count = 0;
};

class pool_runner final : public actors::blocking_runner {
public:
  explicit pool_runner(const pool_limits& limits) : pool_(limits) {}

  job_id try_run(std::function<void()> job) override {
    return pool_.try_submit(std::move(job));
  }

  void abandon(job_id job) override {
    pool_.abandon(job);
  }

  [[nodiscard]] std::size_t hung() const {
    return pool_.hung();
  }

  [[nodiscard]] std::size_t waiting() const {
    return pool_.waiting();
  }

  [[nodiscard]] bool runs_caller() const noexcept {
    return pool_.runs_caller();
  }

  [[nodiscard]] bool wait_until_idle(std::chrono::milliseconds limit) {
    return pool_.wait_until_idle(limit);
  }

private:
  blocking_pool pool_;
};

} // namespace host

/// For tests: a runtime with other schemas than the embedded ones, other log
/// options and other clocks. For studies: other draws. For a server's numbers:
/// what there is to do.
struct host::runtime_access {
  [[nodiscard]] static result<std::unique_ptr<runtime>>
  open(const runtime_options& how,
       std::shared_ptr<const protocol::boundary::rules> rules,
       const std::optional<log_options>& log_how = std::nullopt,
       const recovery_options& with = {},
       machine_clocks clocks = system_clocks());

  /// Ends the actor of a running session, as a fault in it would.
  static void kill(runtime& which, const std::string& session_id);

  /// See runtime/paired_draws.hpp.
  static void draw_by_task(runtime& which,
                           std::shared_ptr<actors::task_places> places);

  /// See runtime/started_sessions.hpp.
  static void watch_starts(runtime& which, start_watch by);

  /// See runtime/taken_sessions.hpp.
  [[nodiscard]] static result<session_handle>
  take_over(runtime& which, const taken_session& from,
            const recovery_options& with);
  [[nodiscard]] static bool runs(runtime& which, const std::string& session_id);
  static void let_go(runtime& which, const std::vector<std::string>& sessions);

  /// See runtime/started_sessions.hpp.
  [[nodiscard]] static result<session_handle>
  start_recorded(runtime& which, const std::string& id, std::string_view lines,
                 const recovery_options& with);

  /// See runtime/runtime_counts.hpp.
  [[nodiscard]] static runtime_counts counts(const runtime& which);
};

namespace host {

/// A thread that restarts a failed session; `done` once it has.
struct rescue_thread {
  std::shared_ptr<std::atomic<bool>> done;
  std::jthread thread;
};

/// The behaviours of all participants: the application's functions, else those
/// in the scenario's `behaviours`, if they may reach what they need. With
/// `all_used`, a function for an unknown participant is refused.
[[nodiscard]] result<std::vector<std::shared_ptr<actors::behaviour>>>
bind_behaviours(const session::spec& scenario,
                const protocol::json::object& behaviours,
                const std::map<std::string, convene::participant>& functions,
                bool all_used, outside& reached,
                const std::shared_ptr<running_functions>& called = nullptr,
                const std::shared_ptr<actors::task_places>& by_task = nullptr);

/// Whether a thread of these actors calls; there are none under virtual time.
[[nodiscard]] bool runs_caller(caf::actor_system& system);

/// How a runtime's participants reach outside.
[[nodiscard]] outside_options outside_of(const runtime_options& how);

/// The application's functions for the session's `custom` conditions.
[[nodiscard]] result<std::vector<actors::custom_condition>>
bind_conditions(const session::machine& session,
                std::map<std::string, condition_function> functions);

} // namespace host

struct runtime::implementation {
  implementation(const runtime_options& how,
                 std::unique_ptr<host::event_log_writer> log,
                 std::shared_ptr<host::blob_keeper> blobs_of_log,
                 std::shared_ptr<host::session_register> on_log,
                 std::shared_ptr<const protocol::boundary::rules> rules,
                 const host::log_clock& time_of_log);
  /// Nobody who outlives it uses what goes with it.
  ~implementation() {
    if (blobs)
      blobs->close();
  }

  runtime_options options;
  host::boundary_validator boundary_validator;
  host::log_sink sink;
  /// Null: the application has no store. Before the actors, which use it.
  std::unique_ptr<host::session_archive> archive;
  host::log_clock clock;
  std::shared_ptr<host::late_counter> late
    = std::make_shared<host::late_counter>();
  std::shared_ptr<host::running_functions> functions
    = std::make_shared<host::running_functions>();
  host::outside outside; ///< before the actors, which use it
  host::pool_runner pool;
  std::shared_ptr<host::blob_keeper> blob_files;  ///< null: without a log
  std::shared_ptr<host::stored_blobs> blobs;      ///< likewise
  std::optional<host::snapshot_keeper> snapshots; ///< unset: none are made

  std::shared_ptr<host::session_register> logged; ///< what the log has

  std::mutex mutex;
  protocol::uuid_source ids;          ///< guarded by mutex, like what follows
  std::set<protocol::uuid> used_keys; ///< of sessions on the log
  bool closing = false;
  actors::control::verb closing_as = actors::control::verb::cancel;
  std::unordered_map<std::string, std::weak_ptr<session_handle::shared>>
    running;
  std::size_t ending = 0;   ///< no longer running; callbacks may run
  std::uint64_t loaded = 0; ///< scenarios
  std::condition_variable idle;

  // Last, so that what actors use outlives them: the system's destructor waits
  // for the actors.
  host::system_config config;
  caf::actor_system system;
  std::optional<host::virtual_time> virtual_clock;
  actors::timekeeper_actor timekeeper;
  /// Restart sessions; guarded by mutex, and joined before anything else is
  /// destroyed.
  std::list<host::rescue_thread> rescues;

  [[nodiscard]] const actors::time_source& time() const;
  /// Whether the caller is called by an actor of this runtime, for which nobody
  /// can wait then.
  [[nodiscard]] bool runs_caller();
  /// Starts nothing more, cancels all sessions and, except under virtual time,
  /// waits for them.
  void cancel_running(std::chrono::milliseconds limit);
  [[nodiscard]] std::size_t unended(); ///< sessions
  [[nodiscard]] result<void>
  launch(const std::shared_ptr<session_handle::shared>& into,
         session::spec scenario, start_options&& how);
  [[nodiscard]] result<void>
  begin(const std::shared_ptr<session_handle::shared>& into,
        session::spec scenario, const session::routing_policy& policy,
        const protocol::uuid& key, start_options&& how,
        const std::shared_ptr<actors::task_places>& places);
  void forget(const std::string& id);

  /// Reserves the id, unless the runtime is closing or full, or the id is in
  /// use. The mutex must be held.
  [[nodiscard]] result<void>
  admit(const std::shared_ptr<session_handle::shared>& into);

  /// Runs a session's actor, however the session begins.
  void run(const std::shared_ptr<session_handle::shared>& into,
           actors::session_setup setup, convene::observer watch,
           actors::control::verb first, std::string why = {});

  // restart_session.cpp
  /// Restarts a session whose actor has failed from its log, on a thread of its
  /// own. False if there is no log.
  [[nodiscard]] bool
  restart_session(const std::shared_ptr<session_handle::shared>& into,
                  const error& why);
  [[nodiscard]] result<void>
  revive(const std::shared_ptr<session_handle::shared>& into, const error& why);
  void drop(const std::shared_ptr<session_handle::shared>& ended);
  /// After `drop`: all have heard of the end.
  void settle();

  // recover.cpp
  /// Resumes the sessions on the log at `path`, as `with` says.
  [[nodiscard]] result<void> recover(const host::log_ledger& found,
                                     const recovery_options& with);
  /// A session's snapshot, if there is a readable one.
  [[nodiscard]] std::optional<host::session_snapshot>
  find_snapshot(const std::string& id) const;
  void adopt(host::replayed_session&& from, const recovery_options& with,
             convene::observer watch);
  /// `unlogged` are its events so far, if the log does not have them yet.
  [[nodiscard]] result<void>
  resume_from_log(const std::shared_ptr<session_handle::shared>& into,
                  host::replayed_session&& from, const recovery_options& with,
                  convene::observer watch, std::string_view unlogged = {});
  /// Continues a session that another process had; see
  /// runtime/taken_sessions.hpp.
  [[nodiscard]] result<session_handle>
  take_over(const host::taken_session& from, const recovery_options& with);

  /// A session that the log has to its end.
  void end_again(session_handle::shared& into, session::report&& from);

  // recorded_start.cpp
  [[nodiscard]] result<session_handle>
  start_recorded(const std::string& id, std::string_view lines,
                 const recovery_options& with);
  /// Puts on the log what a session begins with.
  [[nodiscard]] result<void> log_beginning(const std::string& id,
                                           std::string_view lines);
  /// Starts nothing more, and tells all that run.
  void leave_all(actors::control::verb how, const std::string& reason);

  // load.cpp
  template <class Scenario>
  [[nodiscard]] result<session::spec> load(const Scenario& scenario);

  // event_sinks.cpp
  /// What the store is to have is shown to it, too.
  [[nodiscard]] convene::observer archived(convene::observer watch);
  [[nodiscard]] recovery_options archived(const recovery_options& with);
  [[nodiscard]] result<void> open_sinks();
  void close_sinks();

  convene::recovery recovered;

  /// What the next session's draws follow from; null: as always. Guarded by
  /// mutex.
  std::shared_ptr<actors::task_places> by_task;

  host::start_watch starts; ///< empty: nobody watches

  std::mutex closing_sinks;
  std::list<event_listener> sinks; ///< guarded by closing_sinks

  /// Stops virtual time; no effect in real time. To be locked before any mutex.
  [[nodiscard]] host::virtual_time::held hold_time() {
    return virtual_clock ? virtual_clock->lock() : host::virtual_time::held{};
  }

  static constexpr std::string_view closed_reason = "the runtime was closed";
};

/// The rule that refuses waiting for what waits for the caller.
inline constexpr std::string_view await_inside = "await_inside";

} // namespace convene
