#include <convene/cli/commands/mcp/compare_tool.hpp>
#include <convene/cli/commands/mcp/data_folder.hpp>
#include <convene/cli/commands/mcp/explain_tool.hpp>
#include <convene/cli/commands/mcp/line_streams.hpp>
#include <convene/cli/commands/mcp/mcp_arguments.hpp>
#include <convene/cli/common/listen_address.hpp>
#include <convene/cli/common/options.hpp>
#include <convene/cli/common/report.hpp>
#include <convene/cli/common/signals.hpp>
#include <convene/runtime/log/files/files.hpp>
#include <convene/runtime/log/files/folder_lock.hpp>
#include <convene/server/keys/key_ring.hpp>
#include <convene/server/mcp/line_client.hpp>
#include <convene/server/mcp/mcp_routes.hpp>
#include <convene/server/server.hpp>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>
#include <utility>

namespace convene::cli {
namespace {

using protocol::fail;
using protocol::result;

std::size_t threads_of(const common_options& common) {
  return common.threads != 0
           ? common.threads
           : std::max(1U, std::thread::hardware_concurrency());
}

result<std::shared_ptr<server::mcp_service>>
service_for(server::session_host& host, const mcp_arguments& arguments,
            const common_options& common, const host::permissions& allow) {
  auto folders = server::scenario_folders::open(
    {arguments.scenarios.begin(), arguments.scenarios.end()}, allow);
  if (!folders)
    return fail(std::move(folders).error());
  const server::mcp_limits limits;
  const auto with = std::make_shared<const server::session_access>(
    host, *std::move(folders), limits);
  auto tools = server::session_tools(with);
  tools.push_back(explain_tool(with));
  tools.push_back(compare_tool(with, threads_of(common)));
  return server::mcp_service::open({.version = CONVENE_VERSION,
                                    .sessions = with,
                                    .tools = std::move(tools),
                                    .limits = limits});
}

/// What the server of HTTP is made from; the address counts only there.
result<server::server_options> options_of(const mcp_arguments& arguments,
                                          const common_options& common,
                                          const std::filesystem::path& data) {
  auto given = arguments.serve;
  given.data = data;
  if (given.listen.empty())
    given.listen = serve_arguments{}.listen;
  auto made = server_options_of(given, common);
  if (!made)
    return made;
  made->listen.limits.key_sessions_max = arguments.sessions;
  for (const auto& each : arguments.scenarios)
    made->runtime.guarded.emplace_back(each);
  return made;
}

/// Why the log cannot be written any more, if that is so.
class log_failure {
public:
  void set(const protocol::error& why) {
    const std::lock_guard held{mutex_};
    if (!why_)
      why_ = why;
  }
  [[nodiscard]] std::optional<protocol::error> get() const {
    const std::lock_guard held{mutex_};
    return why_;
  }

private:
  mutable std::mutex mutex_;
  std::optional<protocol::error> why_;
};

/// One client, at standard input and output, until it leaves or a signal.
result<int> serve_lines(const mcp_arguments& arguments,
                        const common_options& common) {
  line_streams streams{STDIN_FILENO, STDOUT_FILENO};
  const signal_watch signals{[&streams] { streams.stop(); }, {SIGHUP}};
  data_folder folder;
  const auto data = folder.open(arguments.serve.data);
  if (!data)
    return fail(data.error());
  const auto how = options_of(arguments, common, *data);
  if (!how)
    return fail(how.error());
  if (auto made = host::make_folders(*data); !made)
    return fail(std::move(made).error());
  const auto lock = host::folder_lock::take(*data);
  if (!lock)
    return fail(lock.error());
  log_failure failure;
  auto host
    = server::session_host::open({.data = *data,
                                  .runtime = how->runtime,
                                  .on_failure =
                                    [&](const protocol::error& why) {
                                      failure.set(why);
                                      streams.stop();
                                    },
                                  .shares = {.key_max = arguments.sessions}});
  if (!host)
    return fail(std::move(host).error());
  auto service = service_for(**host, arguments, common, how->runtime.allow);
  if (!service)
    return fail(std::move(service).error());
  server::line_client client{*service, server::everybody(),
                             [&streams](const std::string& line) {
                               streams.write(line);
                             }};
  streams.read((*service)->limits().message_bytes_max,
               [&client](const std::string& line, bool is_cut) {
                 is_cut ? client.receive_too_long() : client.receive(line);
               });
  client.end();
  (*host)->suspend_all();
  host->reset();
  if (const auto why = failure.get())
    return fail(*why);
  return exit_good;
}

void say_address(const server::running_server& server,
                 const mcp_arguments& arguments, const common_options& common) {
  const auto url = server.url() + "/mcp";
  if (common.json)
    print_json_line(protocol::json::object{{"listening", url}});
  else
    print("listening on " + url + '\n');
  flush_output();
  if (arguments.serve.keys.empty())
    print_note("without --keys, everybody on this machine may do everything");
}

result<int> serve_http(const mcp_arguments& arguments,
                       const common_options& common) {
  std::stop_source stop;
  const signal_watch signals{[&stop] { stop.request_stop(); }, {SIGHUP}};
  data_folder folder;
  const auto data = folder.open(arguments.serve.data);
  if (!data)
    return fail(data.error());
  auto how = options_of(arguments, common, *data);
  if (!how)
    return fail(std::move(how).error());
  fit_connections(how->listen.limits.connections_max);
  how->stop = stop.get_token();
  how->session_endpoints = [&arguments, &common, allow = how->runtime.allow](
                             server::session_host& host) {
    return service_for(host, arguments, common, allow).map([](auto&& made) {
      return server::mcp_routes(std::forward<decltype(made)>(made));
    });
  };
  auto server = server::running_server::start(*std::move(how));
  if (!server)
    return fail(server.error());
  say_address(*server, arguments, common);
  if (auto done = server->wait(); !done)
    return fail(std::move(done).error());
  return exit_good;
}

result<int> serve_mcp(const mcp_arguments& arguments,
                      const common_options& common) {
  return arguments.serve.listen.empty() ? serve_lines(arguments, common)
                                        : serve_http(arguments, common);
}

} // namespace

void add_mcp(const command_line& program) {
  program.add<mcp_arguments>("mcp", serve_mcp, add_mcp_arguments);
}

} // namespace convene::cli
