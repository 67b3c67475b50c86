#pragma once

#include <convene/runtime/blocking_pool/blocking_pool.hpp>
#include <convene/runtime/data/forks/fork.hpp>
#include <convene/runtime/log/event_log/session_departures.hpp>
#include <convene/runtime/runtime.hpp>
#include <convene/server/sessions/event_feed.hpp>
#include <convene/server/sessions/log_follower.hpp>
#include <convene/server/sessions/question_board.hpp>
#include <convene/server/sessions/session_drafts.hpp>
#include <convene/server/sessions/session_view.hpp>
#include <convene/server/sessions/session_views.hpp>
#include <convene/server/sessions/story_view.hpp>
#include <convene/server/shares/work_shares.hpp>

#include <atomic>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace convene::host {
struct session_to_continue;
class shared_sessions;
} // namespace convene::host

namespace convene::server {

/// The rule of an error if another node of the cluster has a session.
inline constexpr std::string_view session_elsewhere = "session_elsewhere";

struct session_host_options {
  /// The folder of the server's data; the log is in `log` in it.
  std::filesystem::path data;
  /// `log` and `people` are the host's own. Virtual time is not possible
  /// (`not_allowed`). With `log_keep_bytes` or `log_keep_time`, a session is
  /// unknown once the segment of the log in which it began is removed.
  convene::runtime_options runtime = {};
  /// By participant id and by name: functions of the application that sessions
  /// on the log go on with, as in `recovery_options`.
  std::map<std::string, participant> functions = {};
  std::map<std::string, condition_function> conditions = {};
  /// Where systems reach the server, as "https://convene.example"; empty: they
  /// are not told.
  std::string public_url = {};
  /// The name of this node in its cluster; empty: it is in none.
  std::string node = {};
  /// Told of each durable event of the log, in its order: while the log is
  /// opened, then on the thread that follows it. Must not block.
  std::function<void(std::string_view session_id, std::string_view line)> watch
    = {};
  /// Called with the id of a session that is unknown from now on; as `watch`.
  std::function<void(const std::string& session_id)> on_removed = {};
  /// Told once that the log cannot be read or written any more: sessions then
  /// go no further. On a thread of the host.
  std::function<void(const protocol::error&)> on_failure = {};
  /// By participant: the other nodes on which those of a session run; may be
  /// empty.
  std::function<std::map<std::string, std::string>(
    const std::string& session_id)>
    places_of = {};
  /// The node's sessions in a cluster; null: there is none.
  std::shared_ptr<host::shared_sessions> cluster = {};
  /// Of sessions that have not ended. One that makes its key have more bytes
  /// than that is cancelled. After a restart sessions are of no key.
  share_limits shares = {};
  /// Sessions whose state is kept for who asks for it again.
  std::size_t views_max = 16;
  /// For what reads the log or begins sessions.
  std::size_t threads = 4;
  std::size_t queue = 4096;
};

/// The sessions of a server: those that its log has, and new ones. What it
/// shows of them is always as durable as the runtime's options say.
/// Thread-safe.
class session_host {
public:
  /// Opens the log, or begins one, and goes on with its sessions: open
  /// questions are asked again under the same tokens; those that were suspended
  /// stay so.
  [[nodiscard]] static protocol::result<std::unique_ptr<session_host>>
  open(session_host_options how);

  session_host(const session_host&) = delete;
  session_host& operator=(const session_host&) = delete;

  /// Leaves the sessions where they are, for the next `open`.
  ~session_host();

  /// Sessions that are started in it are the host's like any other.
  [[nodiscard]] convene::runtime& runtime() noexcept {
    return *runtime_;
  }

  /// Starts a session from a scenario that has all of its documents in it.
  /// `then` is called once, on another thread: when its start is durable, or it
  /// cannot be. Errors: those of `load_scenario` and of the runtime; of a
  /// session's id that is taken, rule `session_id`; of bounds for the key that
  /// begins it, those of `work_shares` for sessions. False: too much is
  /// waiting, and `then` is not called.
  [[nodiscard]] bool
  create(protocol::json::object scenario,
         std::function<void(protocol::result<session_row>)> then,
         std::string key = {});

  /// The same, but does not start it: it is a draft, also after a restart,
  /// until it is started or dropped. The scenario must be one that can be
  /// started.
  [[nodiscard]] bool
  create_draft(protocol::json::object scenario,
               std::function<void(protocol::result<session_row>)> then);

  /// Starts a draft, as `create` does. One that cannot be started stays a
  /// draft.
  [[nodiscard]] bool
  start_draft(const std::string& session_id,
              std::function<void(protocol::result<session_row>)> then,
              std::string key = {});

  struct fork_place;
  /// Starts a session that shares another one's beginning, as
  /// `host::fork_events` says; `then` as for `create`. Other rules:
  /// `session_unknown`, `session_not_started`, and `fork_bytes_max` of a
  /// session whose events have more than that, and `scenario_bytes_max` of a
  /// changed scenario that is larger than one that `POST /v1/sessions` takes.
  [[nodiscard]] bool
  fork(fork_place from, std::function<void(protocol::result<session_row>)> then,
       std::string key = {});

  /// The scenario of a draft.
  [[nodiscard]] protocol::result<protocol::json::object>
  draft_of(const std::string& session_id) const {
    return drafts_->scenario_of(session_id);
  }

  enum class control : std::uint8_t { suspend, resume, cancel, stop };

  /// Tells a session what to do. Not if it is not there or has ended; an error
  /// says why a session that has not does not run. A draft can only be
  /// cancelled, which drops it.
  [[nodiscard]] protocol::result<void> tell(const std::string& session_id,
                                            control what, std::string reason);

  /// Has somebody say something in a running session, or one that is suspended,
  /// that is no answer: `participant`, or, if it is empty, whoever uses it.
  /// `then` is called once, on any thread: when it is durable, or with the rule
  /// that refused it (those of `tell` and `session_handle::message`).
  void say(const std::string& session_id, std::string participant,
           std::string content,
           std::function<void(protocol::result<void>)> then);

  /// Why a session that has not ended does not run; unset: it does.
  [[nodiscard]] std::optional<protocol::error>
  fault_of(const std::string& session_id) const;

  /// Calls `to` with the session as it stands, on another thread; or with an
  /// error and null. False: too much is waiting.
  [[nodiscard]] bool
  look(const std::string& session_id,
       std::function<void(protocol::result<void>, const session_view*)> to);

  /// The same, whatever is waiting; not at all if the host goes first.
  void look_in_turn(
    const std::string& session_id,
    std::function<void(protocol::result<void>, const session_view*)> to);

  /// As `look`, with what happened in the session so far.
  [[nodiscard]] bool look_at_story(
    const std::string& session_id,
    std::function<void(protocol::result<void>, const story_view*)> to);

  [[nodiscard]] const std::string& node() const noexcept {
    return how_.node;
  }

  /// By participant: the other nodes on which those of a session run now.
  [[nodiscard]] std::map<std::string, std::string>
  places_of(const std::string& session_id) const {
    return how_.places_of ? how_.places_of(session_id)
                          : std::map<std::string, std::string>{};
  }

  /// Work that waits for one of the host's threads.
  [[nodiscard]] std::size_t waiting() const {
    return pool_->waiting();
  }

  /// Both may outlive the host; then nothing comes any more.
  [[nodiscard]] const std::shared_ptr<event_feed>& events() const noexcept {
    return feed_;
  }
  [[nodiscard]] const std::shared_ptr<question_board>&
  questions() const noexcept {
    return questions_;
  }

  /// Stops all sessions where they are, without a word on the log, and starts
  /// no more; streams end. Opening the folder again goes on with them. Does not
  /// wait.
  void suspend_all();

private:
  /// How many events of each session were logged, durable or not, and the
  /// share that their bytes have.
  class counts {
  public:
    explicit counts(share_limits limits) : shares_{"sessions", limits} {}

    /// Counts one session's events, from its first on.
    [[nodiscard]] static convene::observer
    observer_for(std::shared_ptr<counts> to);
    /// A session of a key is about to begin, with so many bytes.
    [[nodiscard]] protocol::result<void> expect(const std::string& session_id,
                                                const std::string& key,
                                                std::size_t bytes);
    [[nodiscard]] std::uint64_t of(const std::string& session_id) const;
    /// The session has ended: it has no share any more.
    void release(const std::string& session_id);
    void forget(const std::string& session_id);

    /// Told once of each session whose key has too many bytes, as it grows. Set
    /// before any is counted; must not wait.
    std::function<void(const std::string& session_id)> on_over;

  private:
    struct count {
      explicit count(std::shared_ptr<work_shares::share> of)
        : share{std::move(of)} {}
      const std::shared_ptr<work_shares::share> share;
      std::atomic<std::uint64_t> events = 0;
    };

    [[nodiscard]] std::shared_ptr<count> count_of(std::string_view session_id);

    work_shares shares_;
    mutable std::mutex mutex_;
    std::unordered_map<std::string, std::shared_ptr<count>> counts_;
  };

  explicit session_host(session_host_options how);

  [[nodiscard]] protocol::result<void> begin();
  void see(const host::log_place& place, std::string_view line);
  void begin_in_cluster();
  [[nodiscard]] protocol::result<bool>
  continue_taken(const host::session_to_continue& it);
  void lose(const std::vector<std::string>& sessions);
  [[nodiscard]] recovery_options recovery_how() const;
  void forget(const std::string& session_id);
  void forget_removed();
  [[nodiscard]] convene::runtime_options runtime_how() const;
  void load_drafts();
  [[nodiscard]] protocol::result<session::spec>
  read(protocol::json::object scenario);
  /// What an id stands for before a session begins or is kept.
  enum class expected : std::uint8_t { nothing, draft };
  void
  begin_session(protocol::json::object scenario, expected before,
                const std::string& key,
                const std::function<void(protocol::result<session_row>)>& then);
  [[nodiscard]] protocol::result<session_row>
  keep_draft(protocol::json::object scenario);
  [[nodiscard]] protocol::result<void> drop_draft(const std::string& id);
  struct begun_fork {
    std::string session_id;
    std::uint64_t events = 0; ///< that it begins with
  };
  [[nodiscard]] protocol::result<begun_fork> start_fork(const fork_place& from,
                                                        const std::string& key);
  /// Once it has as many events as it begins with.
  void
  tell_started(const std::string& id, std::uint64_t events,
               const std::function<void(protocol::result<session_row>)>& then);
  /// Nobody else begins, keeps or drops a session of this id until `release`.
  [[nodiscard]] protocol::result<void> reserve(const std::string& id,
                                               expected before);
  void release(const std::string& id);
  [[nodiscard]] protocol::result<void>
  start(session::spec scenario, expected before, const std::string& key);
  void cancel_large(const std::string& session_id);
  void add_started(const session_handle& session);
  /// The session, if it can be told something.
  [[nodiscard]] protocol::result<session_handle>
  running(const std::string& session_id) const;
  [[nodiscard]] std::optional<session_handle>
  handle_of(const std::string& session_id) const;

  const session_host_options how_;
  const std::shared_ptr<counts> counts_;
  const std::shared_ptr<host::session_departures> departures_
    = std::make_shared<host::session_departures>();
  std::unique_ptr<host::blocking_pool> pool_;
  const std::shared_ptr<event_feed> feed_;
  const std::unique_ptr<session_drafts> drafts_;
  const std::shared_ptr<question_board> questions_;
  const std::shared_ptr<session_views<session_view>> views_;
  const std::shared_ptr<session_views<story_view>> stories_;
  std::unique_ptr<convene::runtime> runtime_;

  mutable std::mutex mutex_; ///< guards what follows
  std::unordered_map<std::string, session_handle> handles_; ///< not ended
  std::unordered_set<std::string> reserved_;                ///< ids
  protocol::uuid_source ids_ = protocol::uuid_source::from_entropy();

  std::unique_ptr<log_follower> follower_; ///< goes first
};

/// Which session is forked, where, and how its fork continues. One of
/// `event_id` and `turn` is set.
struct session_host::fork_place {
  std::string session_id;
  std::string event_id;
  std::optional<std::uint32_t> turn = {};
  std::vector<std::string> overrides = {};
  std::optional<host::edited_answer> answer = {};

  static constexpr std::size_t bytes_max = std::size_t{48} << 20;
};

} // namespace convene::server
