#pragma once

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <convene/actors/behaviours/turn_request.hpp>
#include <convene/protocol/base/api.hpp>
#include <convene/protocol/base/error.hpp>
#include <convene/protocol/documents/reply.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace convene {

/// Where a server is, and how it is called.
struct client_options {
  /// http or https, a host and maybe a port and a path; nothing else.
  std::string server = "http://127.0.0.1:8080";
  /// An API key of the server; empty: none is sent. Only sent in a header.
  std::string key;
  /// Certificates to trust, in PEM; empty: the system's.
  std::string ca_file;
  /// Whether the key may leave this machine without TLS.
  bool key_in_clear = false;
  /// For one answer, besides the time that the server is asked to wait.
  std::int64_t timeout_ms = 60'000;
  /// A stream in which nothing comes for so long, not even the server's signs
  /// of life, is taken for broken.
  std::int64_t silence_ms = 60'000;
  /// How long an observer tries to reach a server that has gone away.
  std::int64_t reconnect_ms = 60'000;
};

/// Which node of a cluster a session is to begin on; empty: any.
struct node_wish {
  std::string node;
  std::string label; ///< "gpu" or "zone=x"
};

/// An event of a session or run.
struct observed_event {
  std::uint64_t sequence = 0; ///< sessions count from 1, runs from 0
  std::string type;
  std::string text; ///< the event, as JSON
};

/// How far an observer came.
struct observed {
  std::optional<std::uint64_t> last; ///< unset: there was no event
  bool ended = false; ///< there will be no other; else it was stopped
};

/// Whose open questions are asked for; empty: anybody's.
struct question_wish {
  std::string participant;
  std::string session_id;
  std::size_t limit = 100;  ///< at most 1,000
  std::int64_t wait_ms = 0; ///< if there is none; at most 60,000
};

struct open_questions {
  std::vector<actors::turn_request> all; ///< without `live`
  bool more = false;                     ///< there are others
};

/// Which open interrupts of runs are asked for; empty: any.
struct interrupt_wish {
  std::string kind; ///< OpenWOP's word, or several with commas
  std::string run_id;
  std::size_t limit = 100; ///< at most 1,000
};

/// What a node of a run asks that can be answered.
struct run_interrupt {
  std::string run_id;
  std::string workflow_id;
  std::string node_id;
  std::string interrupt_id;
  std::string kind;
  std::string deadline; ///< empty: it waits for ever
  boost::json::object data;
  std::optional<boost::json::object> resume_schema; ///< of the answer
  /// Of a conversation: its latest turns, how many there are, and the schema
  /// of what they say.
  boost::json::array turns;
  std::int64_t turn_count = 0;
  std::optional<boost::json::object> schema;
};

struct open_run_interrupts {
  std::vector<run_interrupt> all;
  bool more = false; ///< there are others
};

/// What became of an accepted answer.
struct accepted_answer {
  std::string session_id;
  std::string participant;
  bool duplicate = false; ///< this very answer had been accepted before
};

/// A client of a running server (docs/server-sessions.md). Its functions block
/// until there is an answer; they can be called on several threads at once.
///
/// Errors: `code` says what to do about it, `rule` is the server's code
/// (`request_over`, ...; `value` and `pointer` have its details) or one of
/// runtime/outside/http.
/// - `io_failed`: no answer, or the server cannot give it now; the same call
///   may succeed later;
/// - `not_allowed`: 401, 403, 409, 410: not for this key, or not any more;
/// - `invalid_document`: 422: what was sent is wrong;
/// - `usage`: the call or the options are wrong;
/// - `unreadable`: no secure connection (`tls_failed`), a redirect
///   (`redirect_refused`), or no answer of such a server (`answer_unreadable`,
///   `answer_bytes_max`);
/// - `limit_reached`: an event is too long (`event_bytes_max`).
/// Texts of a server are never made safe for a terminal here.
class client {
public:
  using event_function = std::function<bool(const observed_event&)>;

  /// Nothing is sent yet. Fails with `url_invalid`, `scheme_refused`,
  /// `key_invalid` or `key_in_clear`.
  [[nodiscard]] CONVENE_API static protocol::result<client>
  open(client_options options);

  CONVENE_API client(client&&) noexcept;
  CONVENE_API client& operator=(client&&) noexcept;
  CONVENE_API ~client();

  /// Starts a session; returns its id. After `connection_lost` or `timed_out`
  /// it may have been started; with an idempotency key the same call can be
  /// made again. So may it after a stop, which ends the wait with
  /// `call_stopped`.
  [[nodiscard]] CONVENE_API protocol::result<std::string>
  start_session(const boost::json::value& scenario,
                std::string_view idempotency_key = {},
                const node_wish& where = {},
                const std::stop_token& stop = {}) const;

  /// Likewise a run: `{"workflowId", "inputs", ...}`.
  [[nodiscard]] CONVENE_API protocol::result<std::string>
  start_run(const boost::json::object& what,
            std::string_view idempotency_key = {}) const;

  /// Status, TurnState and result, as the server shows them.
  [[nodiscard]] CONVENE_API protocol::result<boost::json::object>
  session(std::string_view id) const;

  /// A run's snapshot.
  [[nodiscard]] CONVENE_API protocol::result<boost::json::object>
  run(std::string_view id) const;

  /// Gives each event that follows `after` to `on_event`, in order and once,
  /// over any cut of the connection and restart of the server, until there is
  /// no other, `on_event` says false, or a stop is requested. Events that the
  /// server repeats or leaves out are an error (`event_sequence`).
  [[nodiscard]] CONVENE_API protocol::result<observed>
  observe_session(std::string_view id, const event_function& on_event,
                  std::optional<std::uint64_t> after = {},
                  std::stop_token stop = {}) const;
  [[nodiscard]] CONVENE_API protocol::result<observed>
  observe_run(std::string_view id, const event_function& on_event,
              std::optional<std::uint64_t> after = {},
              std::stop_token stop = {}) const;

  /// The open questions; waits for one if asked to. A stop is answered by none.
  [[nodiscard]] CONVENE_API protocol::result<open_questions>
  questions(const question_wish& whose = {},
            const std::stop_token& stop = {}) const;

  /// Answers a question. The same answer can be given again, for example after
  /// `connection_lost`. `participant` is needed only where several are asked.
  [[nodiscard]] CONVENE_API protocol::result<accepted_answer>
  answer(std::string_view token, std::string_view participant,
         const protocol::reply& what) const;

  /// What nodes of runs ask.
  [[nodiscard]] CONVENE_API protocol::result<open_run_interrupts>
  interrupts(const interrupt_wish& which = {},
             const std::stop_token& stop = {}) const;

  /// Answers an open interrupt of a run; `body` is the interrupt's
  /// resume payload (docs/server-runs.md).
  [[nodiscard]] CONVENE_API protocol::result<boost::json::object>
  resolve(std::string_view run_id, std::string_view node_id,
          const boost::json::object& body) const;

  /// The longest answer, and the longest event, that are taken.
  static constexpr std::size_t answer_bytes_max = std::size_t{64} << 20;
  static constexpr std::size_t event_bytes_max = std::size_t{64} << 20;

private:
  class link;

  explicit client(std::unique_ptr<link> to);

  std::unique_ptr<link> link_;
};

} // namespace convene
