#include <convene/cli/common/listen_address.hpp>
#include <convene/cli/common/options.hpp>
#include <convene/cli/common/report.hpp>
#include <convene/cli/common/signals.hpp>
#include <convene/lab/mock_endpoint/mock_routes.hpp>
#include <convene/lab/mock_model/profile.hpp>
#include <convene/server/http/host_rules.hpp>
#include <convene/server/http/http_server.hpp>
#include <convene/server/http/limit_table.hpp>

#include <chrono>
#include <semaphore>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace convene::cli {
namespace {

/// How long answers that are under way may take once the server stops.
constexpr std::chrono::milliseconds stop_time{1'000};

struct mock_arguments {
  std::string listen = "127.0.0.1:8008";
  std::string profile; ///< empty: any model says words that are drawn
  std::vector<std::string> limits;
};

void add_options(const command_line& command, mock_arguments& arguments) {
  command.add("--listen", arguments.listen);
  command.add("--profile", arguments.profile);
  command.add("--limit", arguments.limits);
}

protocol::result<server::http_server_options>
options_of(const mock_arguments& arguments, const common_options& common) {
  server::http_server_options out;
  auto where = read_listen_address(arguments.listen);
  if (!where)
    return protocol::fail(std::move(where).error());
  out.address = std::move(where->address);
  out.port = where->port;
  out.threads = common.threads != 0 ? common.threads
                                    : std::thread::hardware_concurrency();
  // Load tests have many calls open at once.
  out.limits.connections_max = 20'000;
  out.limits.address_connections_max = out.limits.connections_max;
  out.limits.streams_max = 20'000;
  for (const auto& one : arguments.limits)
    if (auto set = server::set_limit(out.limits, one); !set)
      return protocol::fail(std::move(set).error());
  auto profile = arguments.profile.empty()
                   ? host::mock::parse_profile("{}", {})
                   : host::mock::read_profile(arguments.profile);
  if (!profile)
    return protocol::fail(std::move(profile).error());
  out.endpoints = server::mock_routes(*std::move(profile));
  return out;
}

protocol::result<int> serve_models(const mock_arguments& arguments,
                                   const common_options& common) {
  auto how = options_of(arguments, common);
  if (!how)
    return protocol::fail(how.error());
  const bool is_private = server::is_loopback(how->address);
  fit_connections(how->limits.connections_max);
  std::binary_semaphore stop{0};
  const signal_watch signals{[&stop] { stop.release(); }};
  const auto server = server::http_server::start(*std::move(how));
  if (!server)
    return protocol::fail(server.error());
  if (common.json)
    print_json_line(protocol::json::object{{"listening", (*server)->url()}});
  else
    print("listening on " + (*server)->url() + '\n');
  flush_output();
  if (!is_private)
    print_note("others reach this address, and every key is taken");
  stop.acquire();
  (*server)->stop(stop_time);
  return exit_good;
}

} // namespace

void add_mock_model(const command_line& program) {
  program.add<mock_arguments>("mock-model", serve_models, add_options);
}

} // namespace convene::cli
