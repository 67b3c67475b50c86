#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/runtime/runtime.hpp>
#include <convene/server/http/listen_options.hpp>
#include <convene/server/http/route.hpp>
#include <convene/server/metrics/event_stream_counts.hpp>
#include <convene/server/peers/cluster_options.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

namespace convene::host {
class shared_sessions;
} // namespace convene::host

namespace convene::server {

class session_host;

/// How a server runs inside an application (docs/server.md#embedding).
struct server_options {
  /// The folder of its data, which is created if needed and locked while the
  /// server runs. The runtime's log is `log` in it.
  std::filesystem::path data;
  listen_options listen;
  /// How sessions run. `log` and `people` are set by the server: people answer
  /// over HTTP. `seed` is not possible (`not_allowed`). `log_keep_bytes` and
  /// `log_keep_time` count for the log of runs, too.
  runtime_options runtime;
  /// Functions of the application, by participant id and by name, with which
  /// sessions of the last start are resumed (see `recovery_options`).
  std::map<std::string, participant> functions;
  std::map<std::string, condition_function> conditions;
  /// A file of API keys, as `convene keys new` writes it. Empty: no key is
  /// needed, and `listen.address` must be one of this machine alone
  /// (`keys_required`).
  std::filesystem::path keys;
  std::filesystem::path workflows; ///< a folder of definitions; empty: none
  bool conversations = true;       ///< whether workflows may hold one
  /// Whether a replay of a run fails where it differs from its source, unless
  /// its request says otherwise.
  bool abort_diverged_replays = false;
  std::filesystem::path agents; ///< scenarios for A2A clients; empty: none
  /// Signs the calls that report the end of a run. Empty: they are not signed.
  std::filesystem::path callback_secret;
  /// The sessions of this node of a cluster (docs/cluster.md); null: there is
  /// none. Not with `workflows`, whose runs stay on a node
  /// (`cluster_workflows`). Used until the server is destroyed.
  std::shared_ptr<host::shared_sessions> shared = {};
  /// Where participants on other nodes are; set by the server.
  std::function<std::map<std::string, std::string>(
    const std::string& session_id)>
    places_of = {};
  /// The numbers of a publisher of events, for /metrics. Unset: there is none.
  std::function<event_stream_counts()> event_stream = {};
  std::string public_url; ///< where others reach it; empty: they are not told
  std::optional<cluster_options> cluster; ///< unset: it is not a node
  routes endpoints; ///< of the application, besides the server's own
  /// Makes more of them, over the server's sessions; may be empty. What they
  /// use of `session_host` is internal, and may change.
  std::function<protocol::result<routes>(session_host&)> session_endpoints;
  /// A request to stop ends `wait`.
  std::stop_token stop;
};

/// A runtime and an HTTP server in front of it: the API of docs/server.md, the
/// page for people and OpenWOP's endpoints. Thread-safe, except for moves and
/// the destructor.
class running_server {
public:
  /// Opens the data folder, resumes the sessions and runs in it, and listens.
  /// Errors of code `usage` are mistakes in the options.
  [[nodiscard]] static protocol::result<running_server>
  start(server_options how);

  running_server(running_server&&) noexcept;
  running_server& operator=(running_server&&) noexcept;
  /// Stops.
  ~running_server();

  /// Sessions that the application starts in it are served like any other.
  [[nodiscard]] convene::runtime& runtime() const;

  /// Sessions that have not ended.
  [[nodiscard]] std::size_t open_sessions() const;

  /// "http://127.0.0.1:8080", or https.
  [[nodiscard]] std::string url() const;
  [[nodiscard]] std::uint16_t port() const;
  /// Where other nodes of its cluster reach it; empty: they do not.
  [[nodiscard]] std::string peer_url() const;

  /// Whether it can answer a client within the time.
  [[nodiscard]] bool responds(std::chrono::milliseconds within) const;

  /// Waits until `server_options::stop` or `stop` asks for it, or the log
  /// fails; then stops: finishes answers that are under way, for up to 10 s,
  /// and leaves sessions and runs to the next start. Returns why, if the log
  /// has failed.
  [[nodiscard]] protocol::result<void> wait();

  /// Asks `wait` to return. Does not wait.
  void stop();

private:
  class ending;
  struct implementation;
  explicit running_server(std::unique_ptr<implementation> made);

  std::unique_ptr<implementation> implementation_;
};

} // namespace convene::server
