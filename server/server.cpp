#include <convene/runtime/data/cluster/shared_sessions.hpp>
#include <convene/runtime/log/files/files.hpp>
#include <convene/runtime/log/files/folder_lock.hpp>
#include <convene/server/http/host_rules.hpp>
#include <convene/server/http/http_server.hpp>
#include <convene/server/keys/watched_keys.hpp>
#include <convene/server/metrics/server_metrics.hpp>
#include <convene/server/participants/other_nodes.hpp>
#include <convene/server/participants/participant_host.hpp>
#include <convene/server/peers/cluster_front.hpp>
#include <convene/server/served_data.hpp>
#include <convene/server/server.hpp>
#include <convene/server/service/caller_route.hpp>
#include <convene/server/service/folder_probe.hpp>
#include <convene/server/service/health_routes.hpp>
#include <convene/server/service/openapi.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <iterator>
#include <mutex>
#include <optional>
#include <semaphore>
#include <system_error>
#include <utility>

namespace convene::server {
namespace {

using protocol::errc;
using protocol::fail;

/// How long answers that are under way may take once the server stops.
constexpr std::chrono::milliseconds stop_time{10'000};

/// Locks the data folder, so that no other server uses it.
protocol::result<host::folder_lock>
take_data(const std::filesystem::path& folder) {
  std::error_code failed;
  host::create_private(folder, failed);
  if (failed)
    return fail(host::file_error(
      errc::usage, folder, "cannot be created: " + failed.message(), "data"));
  return host::folder_lock::take(folder).map_error([](protocol::error why) {
    if (why.rule == host::folder_locked)
      why.message = "another server or run is using this folder; stop it, or "
                    "name another folder with --data";
    return why;
  });
}

} // namespace

/// When the server is to stop, and what has failed, if that is why.
class running_server::ending {
public:
  void begin() {
    if (!has_begun_.exchange(true))
      stop_.release();
  }
  void begin_for(const protocol::error& failed) {
    {
      const std::lock_guard lock{mutex_};
      if (!failed_)
        failed_ = failed;
    }
    begin();
  }

  [[nodiscard]] bool has_begun() const {
    return has_begun_;
  }
  void await() {
    stop_.acquire();
    stop_.release(); // for the next one who waits
  }
  [[nodiscard]] protocol::result<void> outcome() const {
    const std::lock_guard lock{mutex_};
    return failed_ ? fail(*failed_) : protocol::result<void>{};
  }

private:
  std::atomic<bool> has_begun_ = false;
  std::binary_semaphore stop_{0};
  mutable std::mutex mutex_;
  std::optional<protocol::error> failed_; ///< guarded by the mutex
};

namespace {

/// How to listen, and for whom; without endpoints.
protocol::result<http_server_options> listening(const server_options& how) {
  http_server_options out{how.listen};
  if (how.keys.empty()) {
    auto address = out.address;
    if (is_loopback(address) && how.cluster && how.cluster->peers)
      address = how.cluster->peers->address;
    if (!is_loopback(address))
      return fail(errc::usage,
                  "others reach " + address
                    + ": name a file of keys with --keys; convene keys new "
                      "makes one",
                  "keys_required");
    out.anybody = everybody();
    return out;
  }
  auto opened = watched_keys::open(how.keys);
  if (!opened)
    return fail(std::move(opened).error());
  const std::shared_ptr<watched_keys> keys = *std::move(opened);
  out.authenticate = [keys](std::string_view key) { return keys->find(key); };
  out.is_caller = [keys](const caller& who) { return keys->holds(who); };
  out.keys_changed = [keys] { return keys->refresh(); };
  return out;
}

/// The same for other nodes, which have to show certificates.
http_server_options for_peers(http_server_options how,
                              const cluster_options& cluster) {
  how.address = cluster.peers->address;
  how.port = cluster.peers->port;
  how.tls = cluster.peers->tls;
  how.names = {cluster.node};
  for (auto& each : how.names.front())
    each = each >= 'A' && each <= 'Z' ? static_cast<char>(each - 'A' + 'a')
                                      : each;
  how.origins.clear();
  return how;
}

/// How participants of other nodes' sessions reach outside here: no person is
/// asked.
host::outside_options outside_for_others(const server_options& how) {
  auto guarded = how.runtime.guarded;
  guarded.push_back(how.data);
  return {.allow = how.runtime.allow,
          .sandbox = how.runtime.sandbox,
          .guarded = std::move(guarded)};
}

void append(routes& to, routes more) {
  std::ranges::move(more, std::back_inserter(to));
}

} // namespace

struct running_server::implementation {
  explicit implementation(host::folder_lock locked) : lock{std::move(locked)} {}

  ~implementation() {
    stop();
  }

  /// All endpoints, and those that describe them.
  [[nodiscard]] routes endpoints(routes more) {
    auto all = health_routes(
      [this](const std::function<void(const std::string&)>& then) {
        if (end.has_begun())
          return then("the server stops");
        if (const auto why = shared ? shared->why_not_ready() : std::string{};
            !why.empty())
          return then(why);
        probe->ask(then);
      },
      data->refused_workflows());
    all.push_back(metrics->endpoint());
    all.push_back(caller_route());
    append(all, data->endpoints());
    append(all, std::move(more));
    if (front)
      all = front->for_cluster(std::move(all), data->sessions());
    append(all, openapi_routes(all, CONVENE_VERSION));
    return all;
  }

  /// Participants on other nodes, and those of other nodes here.
  protocol::result<void> reach_nodes(server_options& how) {
    if (!how.cluster || !how.cluster->peers || !how.shared)
      return {};
    auto opened = other_nodes::open(*how.cluster,
                                    {.node = how.cluster->node,
                                     .version = CONVENE_VERSION,
                                     .boot_id = [node = how.shared] {
                                       return node->member_id();
                                     }});
    if (!opened)
      return fail(std::move(opened).error());
    elsewhere = *std::move(opened);
    hosted.emplace(
      participant_host::options{.version = CONVENE_VERSION,
                                .is_open = how.cluster->hosts_participants,
                                .outside = outside_for_others(how)},
      elsewhere->view());
    how.runtime.other_nodes = elsewhere;
    how.places_of = [by = elsewhere](const std::string& session_id) {
      return by->places_of(session_id);
    };
    return {};
  }

  [[nodiscard]] participant_counts participants() const {
    participant_counts made;
    elsewhere->count(made);
    hosted->count(made);
    return made;
  }

  protocol::result<void> begin(server_options how, http_server_options listen) {
    shared = how.shared;
    if (auto done = reach_nodes(how); !done)
      return done;
    auto opened = served_data::open(how, [this](const protocol::error& failed) {
      end.begin_for(failed);
    });
    if (!opened)
      return fail(std::move(opened).error());
    data.emplace(*std::move(opened));
    probe.emplace(how.data);
    auto watched = server_metrics::watch(data->runtime(), [this] {
      return data->open_sessions();
    });
    if (!watched)
      return fail(std::move(watched).error());
    metrics = *std::move(watched);
    metrics->set_callbacks([this] { return data->callbacks(); });
    metrics->set_work([this] { return data->work(); });
    if (shared)
      metrics->set_cluster([node = shared] { return node->counts(); });
    if (how.event_stream)
      metrics->set_event_stream(how.event_stream);
    auto more = how.endpoints;
    if (how.session_endpoints) {
      auto made = how.session_endpoints(data->sessions());
      if (!made)
        return fail(std::move(made).error());
      append(more, *std::move(made));
    }
    if (how.cluster) {
      auto cluster = *how.cluster;
      if (shared)
        cluster.boot_id = [node = shared] { return node->member_id(); };
      auto opened_front = cluster_front::open(
        std::move(cluster), how.listen.limits.answer_bytes_max);
      if (!opened_front)
        return fail(std::move(opened_front).error());
      front = *std::move(opened_front);
      metrics->set_peers([this] { return front->counts(); });
      if (elsewhere)
        metrics->set_participants([this] { return participants(); });
    }
    listen.endpoints = endpoints(std::move(more));
    listen.observe = [this](const request_record& one) { metrics->count(one); };
    listen.answers = std::make_shared<kept_answers>();
    if (front && how.cluster->peers) {
      auto with = for_peers(listen, *how.cluster);
      with.tls_refused = [this](std::string_view address,
                                std::string_view reason) {
        front->refused(address, reason);
      };
      if (hosted)
        append(with.endpoints, hosted->endpoints());
      auto started = http_server::start(std::move(with));
      if (!started)
        return fail(std::move(started).error());
      peers = *std::move(started);
    }
    if (front)
      listen.endpoints
        = cluster_front::for_clients(std::move(listen.endpoints));
    auto started = http_server::start(std::move(listen));
    if (!started)
      return fail(std::move(started).error());
    http = *std::move(started);
    metrics->set_server([this] { return counts(); });
    stop_asked.emplace(how.stop, [this] { end.begin(); });
    return {};
  }

  /// Of both listeners.
  [[nodiscard]] http_counts counts() const {
    auto all = http->counts();
    if (peers) {
      const auto more = peers->counts();
      all.connections += more.connections;
      all.streams += more.streams;
      all.answer_bytes += more.answer_bytes;
    }
    return all;
  }

  void stop() {
    const std::lock_guard once{stopping};
    if (!http || is_stopped)
      return;
    is_stopped = true;
    end.begin();
    if (shared)
      shared->prepare_end();
    http->stop(stop_time);
    if (peers)
      peers->stop(stop_time);
    if (hosted)
      hosted->stop();
    if (front)
      front->stop();
    metrics->set_server({});
    data->suspend_all();
    if (elsewhere)
      elsewhere->stop();
  }

  host::folder_lock lock;
  std::shared_ptr<host::shared_sessions> shared; ///< null: there is none
  ending end;
  std::shared_ptr<other_nodes> elsewhere; ///< null: nodes are not reached
  std::optional<participant_host> hosted; ///< likewise
  std::optional<served_data> data;
  std::optional<folder_probe> probe;       ///< of the data's file system
  std::unique_ptr<server_metrics> metrics; ///< goes before the runtime does
  std::unique_ptr<cluster_front> front;    ///< null: not of a cluster
  std::unique_ptr<http_server> peers;      ///< null: no node connects to it
  std::unique_ptr<http_server> http;
  std::mutex stopping;
  bool is_stopped = false; ///< guarded by it
  std::optional<std::stop_callback<std::function<void()>>> stop_asked;
};

running_server::running_server(std::unique_ptr<implementation> made)
  : implementation_{std::move(made)} {}
running_server::running_server(running_server&&) noexcept = default;
running_server& running_server::operator=(running_server&&) noexcept = default;
running_server::~running_server() = default;

protocol::result<running_server> running_server::start(server_options how) {
  if (how.shared && !how.workflows.empty())
    return fail(errc::usage,
                "workflow runs stay on one machine: serve them without "
                "--cluster",
                "cluster_workflows");
  auto listen = listening(how);
  if (!listen)
    return fail(std::move(listen).error());
  auto lock = take_data(how.data);
  if (!lock)
    return fail(std::move(lock).error());
  auto made = std::make_unique<implementation>(*std::move(lock));
  if (auto begun = made->begin(std::move(how), *std::move(listen)); !begun)
    return fail(std::move(begun).error());
  return running_server{std::move(made)};
}

convene::runtime& running_server::runtime() const {
  return implementation_->data->runtime();
}

std::size_t running_server::open_sessions() const {
  return implementation_->data->open_sessions();
}

std::string running_server::url() const {
  return implementation_->http->url();
}

std::uint16_t running_server::port() const {
  return implementation_->http->port();
}

std::string running_server::peer_url() const {
  return implementation_->peers ? implementation_->peers->url() : std::string{};
}

bool running_server::responds(std::chrono::milliseconds within) const {
  return implementation_->http->responds(within);
}

protocol::result<void> running_server::wait() {
  implementation_->end.await();
  implementation_->stop();
  return implementation_->end.outcome();
}

void running_server::stop() {
  implementation_->end.begin();
}

} // namespace convene::server
