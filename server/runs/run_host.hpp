#pragma once

#include <convene/protocol/base/durability.hpp>
#include <convene/protocol/base/error.hpp>
#include <convene/runtime/blocking_pool/blocking_pool.hpp>
#include <convene/server/runs/alarms.hpp>
#include <convene/server/runs/hosted_run.hpp>
#include <convene/server/runs/run_catalog.hpp>
#include <convene/server/runs/run_log.hpp>
#include <convene/server/runs/workflow_store.hpp>
#include <convene/session/workflow/fork.hpp>

#include <atomic>
#include <cstddef>
#include <deque>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace convene::server {

/// Where sessions of runs go on. All are called on a thread of the host, or
/// while it is opened, and must not block for long.
struct run_sessions {
  using when_ended = std::function<void(session::session_ended)>;

  /// Starts a session, or finds the one that goes on or has ended under this
  /// id; `then` is called once it has ended, or if it cannot start, on any
  /// thread. `key`: that began the run; empty: none, or unknown.
  std::function<void(const session::start_session&, const std::string& key,
                     when_ended then)>
    start;
  /// Nobody waits for the session any more.
  std::function<void(const std::string& session_id)> cancel;
  /// Whether there is such a session, which has not ended.
  std::function<bool(const std::string& session_id)> goes_on;
};

struct run_host_options {
  std::filesystem::path data;      ///< its folders `runs` and `definitions`
  std::filesystem::path workflows; ///< with definitions; may be empty
  protocol::durability durable = protocol::durability::group;
  run_log_keeping keeping = {};  ///< `removed` is the host's own
  bool has_conversations = true; ///< OpenWOP's conversation primitive
  /// Of replays whose request says nothing.
  session::divergence_policy on_divergence
    = session::divergence_policy::keep_going;
  std::size_t runs_max = 10'000; ///< that have not ended
  /// The bytes of their events; a run of more is still finished.
  std::size_t runs_bytes_max = std::size_t{1} << 30;
  /// The same for those of one key. Of a run of more, nothing is taken but what
  /// ends it.
  share_limits shares = {};
  run_sessions sessions;
  /// Where what participants of these sessions say arrives; null: nowhere.
  std::shared_ptr<session_texts> texts;
  /// Told, maybe often, that the log cannot be written any more: runs then go
  /// no further. On any thread; must not block.
  std::function<void(const protocol::error&)> on_failure = {};
  /// A run has ended, and that is durable. On the log's thread; must not block.
  std::function<void(const protocol::uuid& run)> on_end = {};
};

/// What came of an input, once that is durable.
struct run_outcome {
  std::string run_id;
  session::run_status status{};
  std::optional<session::run_refusal> refusal;
  std::optional<protocol::error> failure; ///< the host's; nothing is known then
  std::optional<session::conversation_answer> conversation;
  bool is_duplicate = false;
};
using when_taken = std::function<void(run_outcome)>;

/// Runs of workflows: each is a machine that is fed one input at a time, its
/// events on one durable log. What is reported, and what a record shows, is
/// durable. Runs that have not ended go on when the host is opened again.
/// Thread-safe; no call waits for the disk, unless the log's buffer is full or
/// a run that ended long ago is read. Without syncs a call may write to the
/// log's file itself.
class run_host {
public:
  /// Errors are those of the log and of the workflows.
  [[nodiscard]] static protocol::result<std::unique_ptr<run_host>>
  open(run_host_options how);

  /// Runs stay as they are; to be opened again.
  ~run_host();
  run_host(const run_host&) = delete;
  run_host& operator=(const run_host&) = delete;

  [[nodiscard]] const workflow_store& workflows() const noexcept {
    return *workflows_;
  }
  [[nodiscard]] bool has_conversations() const noexcept {
    return how_.has_conversations;
  }
  [[nodiscard]] session::divergence_policy on_divergence() const noexcept {
    return how_.on_divergence;
  }

  /// Starts a run of a key, under an id if one is given, which no run may have.
  /// Failure: rules `run_id`, `runs_max` and `runs_bytes_max`, those of
  /// `work_shares` for runs, or that of the log; and for an exclusive one
  /// `run_already_active`, with the id of a run of the same tenant and scope
  /// that has not ended as its value.
  void create(const registered_workflow& of, session::start_run how,
              when_taken then, std::optional<protocol::uuid> id = {},
              bool is_exclusive = false, const std::string& key = {});

  /// Feeds a run that `find` returned.
  void feed(const std::shared_ptr<hosted_run>& run,
            const session::run_input& input, when_taken then);

  /// Starts a run that repeats or continues another one as that stands, with
  /// the workflow as it is registered now, if it still is.
  void fork(const std::shared_ptr<hosted_run>& source,
            const session::fork_request& how, when_taken then,
            const std::string& key = {});

  /// A run that goes on, or has ended; null: there is none of that id. Its
  /// `failure` is set if it cannot be read.
  [[nodiscard]] std::shared_ptr<hosted_run> find(std::string_view run_id);

  /// The same, if it is known without reading from disk; empty: `find` would.
  [[nodiscard]] std::optional<std::shared_ptr<hosted_run>>
  find_near(std::string_view run_id);

  /// Does something that may take long, as `find` of a run that ended long ago
  /// does, on another thread; not at all, if the host goes first, which waits
  /// for what has begun. False: too much is waiting.
  [[nodiscard]] bool do_apart(std::function<void()> job);

  /// The run as it stands, once that is durable.
  void
  snapshot(const std::shared_ptr<hosted_run>& run,
           std::function<void(protocol::result<boost::json::object>)> then);

  /// Calls `then` once all that runs have by now is durable, or can never be:
  /// at once, or on the log's thread, where no run may be waited for.
  void when_durable(std::function<void(protocol::result<void>)> then) {
    log_->when_kept(log_->appended(), std::move(then));
  }

  [[nodiscard]] alarms& timer() noexcept {
    return *alarms_;
  }

  [[nodiscard]] host::log_counts counts_of_log() const {
    return log_->counts();
  }
  /// What `do_apart` was given and has not begun.
  [[nodiscard]] std::size_t waiting_apart() const {
    return apart_->waiting();
  }

  /// Runs that have not ended, and those that have.
  [[nodiscard]] std::pair<std::size_t, std::size_t> count() const;

  /// All runs, in short.
  [[nodiscard]] const run_catalog& catalog() const noexcept {
    return catalog_;
  }

  /// Ended runs in memory, and the bytes of their events.
  static constexpr std::size_t ended_kept_max = 256;
  static constexpr std::size_t ended_bytes_max = std::size_t{256} << 20;

  /// What `do_apart` does at once, and what waits for it.
  static constexpr std::size_t apart_threads_max = 4;
  static constexpr std::size_t apart_waiting_max = 4'096;

private:
  using run_pointer = std::shared_ptr<hosted_run>;
  struct uuid_hash {
    std::size_t operator()(const protocol::uuid& id) const noexcept {
      return static_cast<std::size_t>(id.low);
    }
  };
  /// What an input did, which is to be told once it is durable.
  struct recorded {
    run_outcome outcome;
    std::vector<session::run_action> actions;
    host::log_position place = 0;
    std::size_t until = 0; ///< the run's events by then
    run_row row;
    bool is_nothing = false; ///< the run has not begun, and will not
  };
  /// What the log has of runs.
  struct found_runs {
    /// The events of those that have not ended.
    std::unordered_map<protocol::uuid, std::vector<event_text>, uuid_hash>
      unfinished;
    /// Sessions that go on, by the run that began each.
    std::map<std::string, protocol::uuid> sessions;
  };

  explicit run_host(run_host_options how)
    : how_{std::move(how)}, shares_{"runs", how_.shares} {}

  protocol::result<found_runs> read_log();
  void go_on(const protocol::uuid& id, std::vector<event_text> events);
  void go_on_with_children();
  void cancel_unwanted(const std::map<std::string, protocol::uuid>& sessions);
  [[nodiscard]] run_pointer make(const protocol::uuid& id,
                                 std::vector<event_text> events);
  [[nodiscard]] protocol::result<run_pointer>
  begin(std::shared_ptr<const protocol::workflow> of, std::string claim,
        const std::string& key, std::optional<protocol::uuid> id = {},
        bool is_exclusive = false, bool is_child = false);
  [[nodiscard]] run_pointer load(const protocol::uuid& id);
  void keep_ended(run_pointer run);
  void finish(const run_pointer& run);
  void arm(const run_pointer& run); ///< its mutex is held
  [[nodiscard]] recorded record(hosted_run& run, session::run_effects effects);
  void tell(const run_pointer& run, recorded what, when_taken then);
  /// These many events are durable, for the catalog and for readers.
  void show(const run_pointer& run, run_row row, std::size_t until);
  void forget(const protocol::uuid& id);
  void forget_removed();
  void log_failed(const protocol::error& why) const;
  void act(const run_pointer& run, session::run_action what);
  // run_children.cpp
  /// A workflow that a node runs, if there is none of its id.
  [[nodiscard]] std::optional<protocol::error>
  find_unknown_child(const protocol::workflow& of) const;
  void start_child(const run_pointer& parent, const session::start_child& what);
  void find_child(const run_pointer& parent, const session::start_child& what);
  void cancel_child(const session::cancel_child& what);
  void stop_orphan(const run_pointer& child);
  /// Tells the parent of a run that has ended, on the alarms' thread.
  void tell_parent(const run_pointer& child);
  /// Tells the parent what became of a child run, unless it knows.
  void end_child(const run_pointer& child);
  void start_session(const run_pointer& run,
                     const session::start_session& what);

  /// How others call back, who may outlive the host.
  struct link {
    std::mutex mutex;
    run_host* host = nullptr; ///< null: it has gone
  };

  const run_host_options how_;
  work_shares shares_;
  const std::shared_ptr<host::session_departures> departures_
    = std::make_shared<host::session_departures>();
  const std::shared_ptr<link> link_ = std::make_shared<link>();
  std::unique_ptr<workflow_store> workflows_;
  std::mutex definitions_mutex_; ///< what `workflows_` keeps is read with it
  run_catalog catalog_;
  mutable std::mutex mutex_; ///< guards what follows
  std::unordered_map<protocol::uuid, run_pointer, uuid_hash> live_;
  std::deque<run_pointer> cache_; ///< ended ones, the latest last
  std::size_t cache_bytes_ = 0;
  std::atomic<std::size_t> live_bytes_ = 0;
  protocol::uuid_source ids_ = protocol::uuid_source::from_entropy();
  std::unique_ptr<run_log> log_;
  std::unique_ptr<alarms> alarms_;
  std::optional<host::blocking_pool> apart_; ///< goes before all else
};

} // namespace convene::server
