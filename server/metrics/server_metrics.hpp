#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/runtime/data/cluster/cluster_counts.hpp>
#include <convene/runtime/runtime.hpp>
#include <convene/server/http/request_record.hpp>
#include <convene/server/http/route.hpp>
#include <convene/server/metrics/event_stream_counts.hpp>
#include <convene/server/metrics/work_counts.hpp>
#include <convene/server/participants/participant_counts.hpp>
#include <convene/server/peers/peer_counts.hpp>
#include <convene/server/run_callbacks/callback_counts.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

namespace convene::server {

/// Counts what happens in a runtime and in the server in front of it, since the
/// start. Labels have few values: never an id or a path. Thread-safe.
class server_metrics {
public:
  /// Subscribes to the runtime's events; must go before it does.
  /// `open_sessions` says how many have not ended.
  [[nodiscard]] static protocol::result<std::unique_ptr<server_metrics>>
  watch(convene::runtime& runtime, std::function<std::size_t()> open_sessions);

  server_metrics(const server_metrics&) = delete;
  server_metrics& operator=(const server_metrics&) = delete;
  ~server_metrics();

  void count(const request_record& one);

  /// Where open connections and streams are asked for, until it is set anew.
  void set_server(std::function<http_counts()> counts);

  /// Where calls that tell of the ends of runs are asked for. Until it is set
  /// there are none.
  void set_callbacks(std::function<callback_counts()> counts);

  /// Where logs and queues are asked for. Until it is set they are empty.
  void set_work(std::function<work_counts()> counts);

  /// The source of a cluster node's numbers. Until it is set there are none.
  void set_cluster(std::function<host::cluster_counts()> counts);

  /// The source of the numbers of published events. Until it is set there are
  /// none.
  void set_event_stream(std::function<event_stream_counts()> counts);

  /// Where requests for other nodes are asked for. Until it is set they are not
  /// shown.
  void set_peers(std::function<peer_counts()> counts);

  /// Where participants on other nodes are asked for. Until it is set they are
  /// not shown.
  void set_participants(std::function<participant_counts()> counts);

  /// All numbers, in Prometheus' text format.
  [[nodiscard]] std::string text();

  /// GET /metrics, with the scope `server:metrics`.
  [[nodiscard]] route endpoint();

private:
  struct implementation;
  explicit server_metrics(std::unique_ptr<implementation> made);

  std::unique_ptr<implementation> implementation_;
};

} // namespace convene::server
