#pragma once

#include <boost/json/object.hpp>
#include <convene/protocol/base/error.hpp>
#include <convene/protocol/documents/action.hpp>
#include <convene/runtime/outside/participants/tool_box.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace convene::host {

/// Which protocol a server speaks.
enum class mcp_era : std::uint8_t {
  initialized,   ///< before 2026-07-28: it is initialized first
  self_contained ///< since then: each request says all
};

/// A message to a server, and what its transport may need of it.
struct mcp_outgoing {
  std::string_view line;         ///< JSON, without a line end
  std::int64_t id = 0;           ///< of a request; 0: it is none
  std::string_view method = {};  ///< empty: an answer
  std::string_view name = {};    ///< the tool that it calls
  std::string_view version = {}; ///< agreed on; empty: not yet
  std::int64_t timeout_ms = 0;   ///< of a request
};

/// What a connection does outside; `after` calls back on the same thread, and
/// returns what prevents it.
struct mcp_wire {
  std::function<bool(const mcp_outgoing&)> send; ///< false: too large
  std::function<std::function<void()>(std::int64_t, std::function<void()>)>
    after;
  std::function<void(std::string_view)> note; ///< for the diagnostic log
  /// Nobody waits for this request's answer any more. Empty for a transport
  /// that has no such thing.
  std::function<void(std::int64_t)> drop = {};
};

/// The requests to one running MCP server, and their answers, as lines of
/// JSON-RPC 2.0. Not thread-safe.
///
/// It finds out which era the server is of by `server/discover`. One that
/// answers nothing of use is initialized, and if a silent one refuses that, it
/// was only slow to start: it is asked again. A server's own requests are
/// refused (we offer no roots, sampling or elicitation), but for `ping`; late
/// answers are dropped. What a request fails with:
/// - `time_out`: the server did not answer in time; it is told so;
/// - `server_error`: it answered with an error;
/// - `invalid_answer`, `input_required`, `tools_max`: its answer is of no use;
///   also one that is not JSON, even after `repair_json`;
/// - `no_common_version`: it speaks no version that we do;
/// - `garbage`: it writes lines that are no messages, more than
///   `garbage_lines_max` without an answer in between;
/// - `request_bytes_max`, `requests_max`: there was no room for it;
/// - what `end` is called with.
class mcp_connection {
public:
  using failure = protocol::action_error;
  using answer = tl::expected<protocol::json::object, failure>;
  using when_answered = std::function<void(answer)>;
  using when_listed
    = std::function<void(tl::expected<std::vector<tool>, failure>)>;
  using request_id = std::int64_t;

  static constexpr std::int64_t probe_ms = 5000;    ///< then it is an older one
  static constexpr std::size_t requests_max = 1024; ///< open ones
  static constexpr std::size_t tools_max = 1024;
  static constexpr std::size_t pages_max = 100;
  static constexpr std::size_t garbage_lines_max = 100;

  /// `name` is the server's, for messages; `timeout_ms` for the beginning. One
  /// that `is_older` is initialized first, and asked for its era only if it
  /// refuses that.
  mcp_connection(std::string name, mcp_wire wire, std::int64_t timeout_ms,
                 bool is_older = false);

  /// Asks for a server's method; waits for the beginning to be over. `then` is
  /// called once, unless it is cancelled.
  request_id ask(std::string_view method, protocol::json::object params,
                 std::int64_t timeout_ms, when_answered then);
  void cancel(request_id which);

  /// Asks for all pages of its tools, with their own names.
  void list(std::int64_t timeout_ms, when_listed then);

  /// A line that the server wrote.
  void take_line(std::string_view line);

  /// The transport has not got an answer to a request that is open.
  void fail(request_id which, failure why);

  /// The server no longer knows our session: it is initialized again, and then
  /// asked this once more, unless that was done before. False: it was, or it
  /// is none that could be.
  [[nodiscard]] bool renew(request_id which);

  [[nodiscard]] bool is_open(request_id which) const {
    return open_.contains(which);
  }

  /// The server is gone: all requests fail with `why`, later ones, too.
  void end(failure why);

  /// Whether it was asked for its era, and has not begun to answer requests.
  [[nodiscard]] bool is_probed() const noexcept {
    return is_probed_ && state_ != state::ready && state_ != state::over;
  }
  /// There is a new server in its place, which is initialized at once: some
  /// older ones exit when they are asked for their era.
  void begin_again();

  /// Whether it has begun, as a server of this era.
  [[nodiscard]] bool is_ready(mcp_era era) const noexcept {
    return state_ == state::ready && era_ == era;
  }

  [[nodiscard]] bool is_over() const noexcept {
    return state_ == state::over;
  }
  [[nodiscard]] const failure& why_over() const noexcept {
    return why_over_;
  }

private:
  enum class state : std::uint8_t { probing, initializing, ready, over };
  struct pending {
    std::string method;
    protocol::json::object params; ///< until it is sent
    std::int64_t timeout_ms = 0;
    when_answered then;
    std::function<void()> forget_timer;
    bool is_sent = false;
    bool is_renewed = false;
  };
  struct listing;

  request_id put(std::string_view method, protocol::json::object params,
                 std::int64_t timeout_ms, when_answered then);
  void begin_with(std::string_view method, protocol::json::object params,
                  std::int64_t timeout_ms, when_answered then);
  void send(request_id which, pending& what);
  bool send_message(const protocol::json::object& what, mcp_outgoing as = {});
  void notify(std::string_view method, protocol::json::object params);
  void probe();
  void probed(answer how);
  void initialize();
  void initialized(answer how);
  void probe_again(failure why_refused);
  void become_ready(mcp_era era);
  void time_out(request_id which);
  void give_up(request_id which, std::string_view why);
  void close(request_id which, answer how);
  void take_value(const protocol::json::value& what);
  void take_message(const protocol::json::object& message);
  void take_answer(const protocol::json::object& message);
  void take_request(const protocol::json::object& message);
  void take_unreadable(std::string_view line, const protocol::error& why);
  void take_garbage(std::string_view why);
  [[nodiscard]] request_id only_open() const;
  void list_page(std::shared_ptr<listing> of);
  [[nodiscard]] failure fault(std::string code, std::string message) const;

  std::string name_;
  mcp_wire wire_;
  std::int64_t timeout_ms_;
  state state_ = state::probing;
  bool is_probed_ = false;
  bool may_be_newer_ = false; // if it refuses to be initialized
  request_id beginning_ = 0;  // the request that it begins with
  mcp_era era_ = mcp_era::self_contained;
  std::string version_; // of the older era, once it is agreed on
  request_id last_id_ = 0;
  std::map<request_id, pending> open_;
  std::size_t garbage_ = 0; // lines since the last answer
  bool has_noted_garbage_ = false;
  failure why_over_;
};

} // namespace convene::host
