#include <convene/server/metrics/callback_numbers.hpp>
#include <convene/server/metrics/cluster_numbers.hpp>
#include <convene/server/metrics/event_stream_numbers.hpp>
#include <convene/server/metrics/participant_numbers.hpp>
#include <convene/server/metrics/peer_numbers.hpp>
#include <convene/server/metrics/server_metrics.hpp>
#include <convene/server/metrics/session_counts.hpp>
#include <convene/server/metrics/work_numbers.hpp>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <memory>
#include <mutex>
#include <optional>
#include <utility>

namespace convene::server {
namespace {

using prometheus::BuildCounter;
using prometheus::BuildGauge;
using prometheus::BuildHistogram;

const prometheus::Histogram::BucketBoundaries request_buckets{
  0.0005, 0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10, 30};

} // namespace

struct server_metrics::implementation {
  convene::runtime& runtime;
  const std::function<std::size_t()> open_sessions;
  prometheus::Registry registry;
  session_counts sessions;
  prometheus::Family<prometheus::Counter>& requests;
  prometheus::Family<prometheus::Histogram>& request_seconds;
  prometheus::Gauge& open;
  prometheus::Gauge& connections;
  prometheus::Gauge& streams;
  prometheus::Gauge& hung_functions;
  callback_numbers callbacks;
  work_numbers work;
  std::optional<peer_numbers> peer_requests; ///< unset: not of a cluster
  std::optional<participant_numbers> remote; ///< unset: nodes are not reached
  std::mutex mutex;
  std::function<http_counts()> server;        ///< guarded by the mutex
  std::function<callback_counts()> calls;     ///< guarded by the mutex
  std::function<work_counts()> to_do;         ///< guarded by the mutex
  std::function<host::cluster_counts()> node; ///< guarded, like the next
  std::optional<cluster_numbers> cluster;
  std::function<peer_counts()> passed_on;           ///< guarded by the mutex
  std::function<participant_counts()> participants; ///< likewise
  std::function<event_stream_counts()> published;   ///< likewise
  std::optional<event_stream_numbers> event_stream;
  std::optional<event_listener> listener; ///< goes first

  implementation(convene::runtime& watched,
                 std::function<std::size_t()> open_of)
    : runtime{watched}, open_sessions{std::move(open_of)}, sessions{registry},
      requests{BuildCounter()
                 .Name("convene_http_requests_total")
                 .Help("Requests that were answered, by method, endpoint and "
                       "status.")
                 .Register(registry)},
      request_seconds{BuildHistogram()
                        .Name("convene_http_request_duration_seconds")
                        .Help("From the end of a request's headers to its "
                              "answer, or a stream's beginning, by endpoint.")
                        .Register(registry)},
      open{BuildGauge()
             .Name("convene_sessions_open")
             .Help("Sessions that have not ended, suspended ones included.")
             .Register(registry)
             .Add({})},
      connections{BuildGauge()
                    .Name("convene_http_connections")
                    .Help("Connections that are open.")
                    .Register(registry)
                    .Add({})},
      streams{BuildGauge()
                .Name("convene_http_streams")
                .Help("Streams that are open.")
                .Register(registry)
                .Add({})},
      hung_functions{
        BuildGauge()
          .Name("convene_hung_functions")
          .Help("Functions of participants that still run although "
                "their requests were closed.")
          .Register(registry)
          .Add({})},
      callbacks{registry}, work{registry} {}
};

protocol::result<std::unique_ptr<server_metrics>>
server_metrics::watch(convene::runtime& runtime,
                      std::function<std::size_t()> open_sessions) {
  auto made = std::make_unique<implementation>(runtime,
                                               std::move(open_sessions));
  auto events
    = runtime.subscribe({.filter = {.types = session_counts::event_types()}});
  if (!events)
    return protocol::fail(std::move(events).error());
  made->listener.emplace(*std::move(events),
                         [raw = made.get()](const delivery& what) {
                           raw->sessions.take(what);
                         });
  return std::unique_ptr<server_metrics>{new server_metrics{std::move(made)}};
}

server_metrics::server_metrics(std::unique_ptr<implementation> made)
  : implementation_{std::move(made)} {}

server_metrics::~server_metrics() = default;

void server_metrics::count(const request_record& one) {
  auto& mine = *implementation_;
  const std::string route{one.route.empty() ? "none" : one.route};
  mine.requests
    .Add({{"method", std::string{one.method}},
          {"route", route},
          {"status", std::to_string(one.status)}})
    .Increment();
  const std::chrono::duration<double> seconds = one.time;
  mine.request_seconds.Add({{"route", route}}, request_buckets)
    .Observe(seconds.count());
}

void server_metrics::set_server(std::function<http_counts()> counts) {
  const std::scoped_lock lock{implementation_->mutex};
  implementation_->server = std::move(counts);
}

void server_metrics::set_callbacks(std::function<callback_counts()> counts) {
  const std::scoped_lock lock{implementation_->mutex};
  implementation_->calls = std::move(counts);
}

void server_metrics::set_work(std::function<work_counts()> counts) {
  const std::scoped_lock lock{implementation_->mutex};
  implementation_->to_do = std::move(counts);
}

void server_metrics::set_cluster(std::function<host::cluster_counts()> counts) {
  const std::scoped_lock lock{implementation_->mutex};
  implementation_->cluster.emplace(implementation_->registry);
  implementation_->node = std::move(counts);
}

void server_metrics::set_event_stream(
  std::function<event_stream_counts()> counts) {
  const std::scoped_lock lock{implementation_->mutex};
  implementation_->event_stream.emplace(implementation_->registry);
  implementation_->published = std::move(counts);
}

void server_metrics::set_peers(std::function<peer_counts()> counts) {
  const std::scoped_lock lock{implementation_->mutex};
  if (!implementation_->peer_requests)
    implementation_->peer_requests.emplace(implementation_->registry);
  implementation_->passed_on = std::move(counts);
}

void server_metrics::set_participants(
  std::function<participant_counts()> counts) {
  const std::scoped_lock lock{implementation_->mutex};
  if (!implementation_->remote)
    implementation_->remote.emplace(implementation_->registry);
  implementation_->participants = std::move(counts);
}

std::string server_metrics::text() {
  auto& mine = *implementation_;
  {
    const std::scoped_lock lock{mine.mutex};
    const auto now = mine.server ? mine.server() : http_counts{};
    mine.connections.Set(static_cast<double>(now.connections));
    mine.streams.Set(static_cast<double>(now.streams));
    if (mine.calls)
      mine.callbacks.show(mine.calls());
    if (mine.to_do)
      mine.work.show(mine.to_do());
    if (mine.node)
      mine.cluster->show(mine.node());
    if (mine.published)
      mine.event_stream->show(mine.published());
    if (mine.passed_on)
      mine.peer_requests->show(mine.passed_on());
    if (mine.participants)
      mine.remote->show(mine.participants());
  }
  mine.open.Set(static_cast<double>(mine.open_sessions()));
  mine.hung_functions.Set(static_cast<double>(mine.runtime.hung_functions()));
  return prometheus::TextSerializer{}.Serialize(mine.registry.Collect());
}

route server_metrics::endpoint() {
  return {.method = "GET",
          .pattern = "/metrics",
          .scope = "server:metrics",
          .call =
            [this](const request&, const responder& to) {
              to({.content_type = "text/plain; version=0.0.4; charset=utf-8",
                  .body = text()});
            },
          .about = "Numbers for Prometheus"};
}

} // namespace convene::server
