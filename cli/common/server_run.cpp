#include <convene/cli/common/listen_address.hpp>
#include <convene/cli/common/report.hpp>
#include <convene/cli/common/served_data.hpp>
#include <convene/cli/common/server_run.hpp>
#include <convene/cli/common/signals.hpp>
#include <convene/runtime/log/files/files.hpp>
#include <convene/runtime/log/files/folder_lock.hpp>
#include <convene/server/http/http_server.hpp>
#include <convene/server/metrics/server_metrics.hpp>
#include <convene/server/service/caller_route.hpp>
#include <convene/server/service/health_routes.hpp>
#include <convene/server/service/openapi.hpp>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <iterator>
#include <mutex>
#include <optional>
#include <semaphore>
#include <system_error>
#include <utility>

namespace convene::cli {
namespace {

/// How long answers that are under way may take once the server stops.
constexpr std::chrono::milliseconds stop_time{10'000};

/// The folder of the server's data, which no other server has.
protocol::result<host::folder_lock>
take_data(const std::filesystem::path& folder) {
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed)
    return protocol::fail(
      host::file_error(protocol::errc::usage, folder,
                       "cannot be created: " + failed.message(), "data"));
  return host::folder_lock::take(folder).map_error([](protocol::error why) {
    if (why.rule == host::folder_locked)
      why.message = "another server or run is using this folder; stop it, or "
                    "name another folder with --data";
    return why;
  });
}

/// When the server is to stop, and what has failed, if that is why.
class ending {
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
  }
  [[nodiscard]] std::optional<protocol::error> failed() const {
    const std::lock_guard lock{mutex_};
    return failed_;
  }

private:
  std::atomic<bool> has_begun_ = false;
  std::binary_semaphore stop_{0};
  mutable std::mutex mutex_;
  std::optional<protocol::error> failed_; ///< guarded by the mutex
};

void append(server::routes& to, server::routes more) {
  std::ranges::move(more, std::back_inserter(to));
}

/// All endpoints, and those that describe them.
server::routes all_endpoints(const served_data& data,
                             server::server_metrics& metrics,
                             const ending& end) {
  auto all = server::health_routes([&end] { return !end.has_begun(); });
  all.push_back(metrics.endpoint());
  all.push_back(server::caller_route());
  append(all, data.endpoints());
  append(all, server::openapi_routes(all, CONVENE_VERSION));
  return all;
}

void say_where(const server::http_server& server,
               const serve_arguments& arguments, const common_options& common) {
  if (common.json)
    print_json_line(protocol::json::object{{"listening", server.url()}});
  else
    print("listening on " + server.url() + '\n');
  flush_output();
  if (arguments.keys.empty())
    print_note("without --keys, everybody on this machine may do everything");
}

} // namespace

protocol::result<int> run_server(const serve_arguments& arguments,
                                 const common_options& common) {
  auto how = server_options(arguments, common);
  if (!how)
    return protocol::fail(how.error());
  const auto runtime_how = runtime_options_of(arguments, common);
  if (!runtime_how)
    return protocol::fail(runtime_how.error());
  const auto lock = take_data(arguments.data);
  if (!lock)
    return protocol::fail(lock.error());
  allow_descriptors(how->limits.connections_max + 1'000);

  ending end;
  const signal_watch signals{[&end] { end.begin(); }};
  auto data = served_data::open(arguments, *runtime_how,
                                [&end](const protocol::error& failed) {
                                  end.begin_for(failed);
                                });
  if (!data)
    return protocol::fail(data.error());
  auto metrics = server::server_metrics::watch(
    data->runtime(), [&opened = *data] { return opened.open_sessions(); });
  if (!metrics)
    return protocol::fail(metrics.error());
  (*metrics)->set_callbacks([&opened = *data] { return opened.callbacks(); });
  (*metrics)->set_work([&opened = *data] { return opened.work(); });
  how->endpoints = all_endpoints(*data, **metrics, end);
  how->observe = [&counted = **metrics](const server::request_record& one) {
    counted.count(one);
  };
  auto server = server::http_server::start(*std::move(how));
  if (!server)
    return protocol::fail(server.error());
  (*metrics)->set_server([&made = **server] { return made.counts(); });
  say_where(**server, arguments, common);

  end.await();
  (*server)->stop(stop_time);
  (*metrics)->set_server({});
  data->suspend_all();
  const auto failed = end.failed();
  if (!failed)
    return exit_good;
  static_cast<void>(report(*failed, common.json));
  return exit_fault; // whatever the log was found to be
}

} // namespace convene::cli
