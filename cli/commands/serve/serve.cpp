#include <convene/cli/commands/serve/cluster_entry.hpp>
#include <convene/cli/commands/serve/events_out.hpp>
#include <convene/cli/commands/serve/serve_arguments.hpp>
#include <convene/cli/commands/serve/service_manager.hpp>
#include <convene/cli/common/listen_address.hpp>
#include <convene/cli/common/options.hpp>
#include <convene/cli/common/report.hpp>
#include <convene/cli/common/signals.hpp>
#include <convene/integrations/webhooks/integration_routes.hpp>
#include <convene/server/server.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <thread>
#include <utility>

namespace convene::cli {
namespace {

/// How soon a server that is well can answer.
constexpr std::chrono::seconds watchdog_patience{5};

/// The endpoints that take events of programs outside, if they are wanted.
protocol::result<server::routes>
outside_endpoints(const serve_arguments& arguments) {
  if (arguments.outside.empty())
    return server::routes{};
  auto log = server::outside_log::open(arguments.outside);
  if (!log)
    return protocol::fail(std::move(log).error());
  std::optional<server::webhook_secrets> secrets;
  if (!arguments.webhook_secrets.empty()) {
    auto opened = server::webhook_secrets::open(arguments.webhook_secrets);
    if (!opened)
      return protocol::fail(std::move(opened).error());
    secrets = *std::move(opened);
  }
  return server::integration_routes(*std::move(log), std::move(secrets));
}

void report_address(const server::running_server& server,
                    const serve_arguments& arguments,
                    const common_options& common) {
  if (common.json)
    print_json_line(protocol::json::object{{"listening", server.url()}});
  else
    print("listening on " + server.url() + '\n');
  flush_output();
  tell_service_manager("READY=1\nSTATUS=listening on " + server.url());
  if (arguments.keys.empty())
    print_note("without --keys, everybody on this machine may do everything");
}

/// Serves until SIGINT or SIGTERM, then stops in order; returns the exit code.
protocol::result<int> run_server(const serve_arguments& arguments,
                                 const common_options& common) {
  auto how = server_options_of(arguments, common);
  if (!how)
    return protocol::fail(how.error());
  fit_connections(how->listen.limits.connections_max);
  std::stop_source stop;
  const signal_watch signals{[&stop] {
    tell_service_manager("STOPPING=1");
    stop.request_stop();
  }};
  how->stop = stop.get_token();
  auto outside = outside_endpoints(arguments);
  if (!outside)
    return protocol::fail(outside.error());
  how->endpoints = *std::move(outside);
  auto events = events_out_of(arguments);
  if (!events)
    return protocol::fail(events.error());
  auto member = join_cluster(arguments, stop.get_token());
  if (!member && signals.caught() != 0)
    return signals.exit_code(exit_good);
  if (!member)
    return protocol::fail(member.error());
  // Goes last: it may wait for its server, while others take the sessions.
  std::shared_ptr<host::event_publisher> publisher;
  // Goes after the server: it leaves the cluster once no session runs here.
  std::optional<host::membership_keeper> keeper;
  auto shared = share_sessions(arguments, *member).and_then([&](auto made) {
    return publish_events(arguments, *std::move(events), made)
      .map([&](auto begun) {
        publisher = std::move(begun);
        return made;
      });
  });
  if (!shared) {
    if (*member)
      static_cast<void>((*member)->leave());
    return protocol::fail(shared.error());
  }
  how->shared = *shared;
  if (publisher)
    how->event_stream = [publisher] { return publisher->counts(); };
  auto holder = *member ? hold_lease(**member) : std::jthread{};
  auto server = server::running_server::start(*std::move(how));
  holder = {}; // it ends
  if (!server) {
    if (*member) // or its name would be taken until the lease lapses
      static_cast<void>((*member)->leave());
    return protocol::fail(server.error());
  }
  if (*member)
    keeper.emplace(
      **std::move(member),
      [node = *shared, peer_url = server->peer_url(),
       url = arguments.public_url.empty()
               ? server->url()
               : arguments.public_url]() -> host::node_state {
        return {.address = url,
                .peer_address = peer_url,
                .sessions = static_cast<std::int64_t>(node->counts().sessions)};
      },
      print_note,
      [node = *shared](const std::string& boot_id, const auto& failed) {
        node->renewed(boot_id, failed);
      });
  report_address(*server, arguments, common);
  const auto watched = keep_watchdog(
    [&running = *server] { return running.responds(watchdog_patience); });
  if (auto done = server->wait(); !done) {
    static_cast<void>(report(done.error(), common.json));
    return exit_fault; // whatever the log was found to be
  }
  return exit_good;
}

} // namespace

void add_serve(const command_line& program) {
  program.add<serve_arguments>("serve", run_server, add_arguments);
}

} // namespace convene::cli
