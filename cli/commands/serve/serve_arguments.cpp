#include <convene/cli/commands/serve/serve_arguments.hpp>
#include <convene/cli/common/listen_address.hpp>
#include <convene/protocol/base/durability.hpp>
#include <convene/server/http/host_rules.hpp>
#include <convene/server/http/limit_table.hpp>
#include <convene/server/keys/secret_file.hpp>
#include <convene/server/peers/peer_files.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>
#include <thread>
#include <utility>

namespace convene::cli {
namespace {

using protocol::errc;
using protocol::fail;

/// Of one key or address, where others than this machine's people ask.
constexpr unsigned rate_beyond_loopback = 200;

protocol::result<server::tls_files> read_tls(std::string_view text) {
  const auto comma = text.find(',');
  if (comma == text.npos || comma == 0 || comma + 1 == text.size())
    return fail(errc::usage,
                "--tls wants two files in PEM, a certificate and its key: "
                "--tls CERT,KEY",
                "tls");
  return server::tls_files{.certificate = text.substr(0, comma),
                           .key = text.substr(comma + 1)};
}

bool is_origin(std::string_view text) {
  const auto scheme = text.find("://");
  return (text.starts_with("http://") || text.starts_with("https://"))
         && scheme + 3 < text.size()
         && text.find_first_of("/?#@ ", scheme + 3) == text.npos;
}

std::string in_lower_case(std::string text) {
  std::ranges::transform(text, text.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return text;
}

/// The host in `--public-url` is a name of the server, too.
protocol::result<void> add_public_url(const serve_arguments& arguments,
                                      server::listen_options& to) {
  const std::string_view url = arguments.public_url;
  if (url.empty())
    return {};
  if (!is_origin(url))
    return fail({.code = errc::usage,
                 .message = "--public-url expects a scheme and a host, "
                            "such as https://convene.example",
                 .rule = "public_url",
                 .value = arguments.public_url});
  const auto host = url.substr(url.find("://") + 3);
  const auto end = host.starts_with('[') ? host.find(']') + 1 : host.find(':');
  to.names.push_back(in_lower_case(std::string{host.substr(0, end)}));
  return {};
}

protocol::result<void> add_names(const serve_arguments& arguments,
                                 server::listen_options& to) {
  for (auto name : arguments.names) {
    name = in_lower_case(std::move(name));
    if (name.find_first_of(":/@ ") != name.npos)
      return fail({.code = errc::usage,
                   .message = "--name expects a host name alone, such "
                              "as convene.example",
                   .rule = "name",
                   .value = name});
    to.names.push_back(std::move(name));
  }
  for (const auto& one : arguments.origins) {
    if (!is_origin(one))
      return fail({.code = errc::usage,
                   .message = "--origin expects a scheme and a host, "
                              "such as https://app.example",
                   .rule = "origin",
                   .value = one});
    to.origins.push_back(one);
  }
  return {};
}

protocol::result<server::listen_options>
listening(const serve_arguments& arguments, const common_options& common) {
  server::listen_options out;
  auto where = read_listen_address(arguments.listen);
  if (!where)
    return fail(std::move(where).error());
  out.address = std::move(where->address);
  out.port = where->port;
  if (!server::is_loopback(out.address))
    out.limits.requests_per_second = rate_beyond_loopback;
  out.threads = common.threads != 0 ? common.threads
                                    : std::thread::hardware_concurrency();
  if (!arguments.tls.empty()) {
    auto files = read_tls(arguments.tls);
    if (!files)
      return fail(std::move(files).error());
    if (auto may = server::check_private(files->key); !may)
      return fail(std::move(may).error());
    out.tls = *std::move(files);
  }
  for (const auto& one : arguments.limits)
    if (auto set = server::set_limit(out.limits, one); !set)
      return fail(std::move(set).error());
  if (auto done = add_public_url(arguments, out); !done)
    return fail(std::move(done).error());
  if (auto done = add_names(arguments, out); !done)
    return fail(std::move(done).error());
  return out;
}

/// How other nodes reach this one, if they do.
protocol::result<std::optional<server::peer_options>>
peers_of(const serve_arguments& arguments) {
  if (arguments.peer_listen.empty())
    return std::nullopt;
  auto where = read_listen_address(arguments.peer_listen);
  if (!where) {
    auto why = std::move(where).error();
    if (why.message.starts_with("--listen"))
      why.message.insert(2, "peer-");
    return fail(std::move(why));
  }
  if (where->address == "0.0.0.0" || where->address == "::")
    return fail(errc::usage,
                "--peer-listen expects the address at which the other nodes "
                "reach this one, not "
                  + where->address,
                "peer_listen");
  const std::string_view text = arguments.peer_tls;
  const auto first = text.find(',');
  const auto second = first == text.npos ? first : text.find(',', first + 1);
  if (first == 0 || second == text.npos || second == first + 1
      || second + 1 == text.size() || text.find(',', second + 1) != text.npos)
    return fail(errc::usage,
                "--peer-tls expects three files in PEM, the node's certificate "
                "and key and the certificates of the cluster's CA: --peer-tls "
                "CERT,KEY,CA",
                "peer_tls");
  server::tls_files files{.certificate = text.substr(0, first),
                          .key = text.substr(first + 1, second - first - 1),
                          .client_ca = text.substr(second + 1)};
  if (auto may = server::check_private(files.key); !may)
    return fail(std::move(may).error());
  auto fits = server::check_peer_name(arguments.node).and_then([&] {
    return server::check_peer_files(files, arguments.node);
  });
  if (!fits)
    return fail(std::move(fits).error());
  return server::peer_options{.address = std::move(where->address),
                              .port = where->port,
                              .tls = std::move(files)};
}

/// Its sessions are found by other nodes.
protocol::result<void> join_others(const serve_arguments& arguments,
                                   server::server_options& how) {
  if (arguments.cluster.empty())
    return {};
  auto peers = peers_of(arguments);
  if (!peers)
    return fail(std::move(peers).error());
  how.cluster = {.database = arguments.cluster,
                 .node = arguments.node,
                 .peers = *std::move(peers),
                 .hosts_participants = arguments.host_participants};
  if (how.cluster->peers)
    for (const auto& each :
         {how.cluster->peers->tls.certificate, how.cluster->peers->tls.key,
          how.cluster->peers->tls.client_ca})
      how.runtime.guarded.emplace_back(each);
  return {};
}

constexpr std::uint64_t days_max = 36'500;
constexpr std::uint64_t lease_max = 3'600;       // s
constexpr std::uint64_t events_sync_max = 3'600; // s

/// A log is removed segment by segment, so these are small where it is.
void keep(const serve_arguments& arguments, runtime_options& how) {
  constexpr std::uint64_t segments = 8;
  constexpr auto least = std::uint64_t{1} << 20;
  how.log_keep_time = std::chrono::hours{24 * arguments.keep_days};
  how.log_keep_bytes = arguments.keep_bytes;
  if (how.log_keep_bytes != 0)
    how.log_segment_bytes = std::clamp(how.log_keep_bytes / segments, least,
                                       how.log_segment_bytes);
}

} // namespace

void add_arguments(const command_line& command, serve_arguments& arguments) {
  command.add("--listen", arguments.listen);
  command.add("--data", arguments.data).required();
  command.add("--workflows", arguments.workflows);
  command.add("--without-conversations", arguments.without_conversations);
  command.add("--replay-divergence", arguments.replay_divergence,
              one_of({"continue", "abort"}));
  const auto outside = command.add("--outside", arguments.outside);
  command.add("--webhook-secrets", arguments.webhook_secrets).needs(outside);
  command.add("--callback-secret", arguments.callback_secret);
  command.add("--agents", arguments.agents);
  command.add("--keys", arguments.keys);
  command.add("--tls", arguments.tls);
  command.add("--public-url", arguments.public_url);
  command.add("--name", arguments.names);
  command.add("--origin", arguments.origins);
  command.add("--limit", arguments.limits);
  const auto cluster = command.add("--cluster", arguments.cluster);
  const auto node = command.add("--node", arguments.node).needs(cluster);
  cluster.needs(node);
  command.add("--labels", arguments.labels).needs(cluster);
  command.add("--lease", arguments.lease, whole_number(2, lease_max))
    .needs(cluster);
  const auto peer_listen
    = command.add("--peer-listen", arguments.peer_listen).needs(cluster);
  peer_listen.needs(
    command.add("--peer-tls", arguments.peer_tls).needs(peer_listen));
  command.add("--host-participants", arguments.host_participants)
    .needs(peer_listen);
  const auto events
    = command.add("--events-to", arguments.events_to).needs(cluster);
  command.add("--events-credentials", arguments.events_credentials)
    .needs(events);
  command.add("--events-ca", arguments.events_ca).needs(events);
  command
    .add("--events-sync", arguments.events_sync,
         whole_number(1, events_sync_max))
    .needs(events);
  command.add("--keep-days", arguments.keep_days, whole_number(1, days_max));
  command.add("--keep-bytes", arguments.keep_bytes, whole_number(1));
  command.add("--durability", arguments.durability,
              one_of({"none", "group", "strict"}));
  command.add("--allow", arguments.allow);
  command.add("--sandbox", arguments.sandbox);
  command.add("--log-prompts", arguments.log_prompts);
}

protocol::result<server::server_options>
server_options_of(const serve_arguments& arguments,
                  const common_options& common) {
  auto listen = listening(arguments, common);
  if (!listen)
    return fail(std::move(listen).error());
  server::server_options out{.data = arguments.data,
                             .listen = *std::move(listen),
                             .keys = arguments.keys,
                             .workflows = arguments.workflows,
                             .conversations = !arguments.without_conversations,
                             .abort_diverged_replays
                             = arguments.replay_divergence == "abort",
                             .agents = arguments.agents,
                             .callback_secret = arguments.callback_secret,
                             .public_url = arguments.public_url};
  out.runtime.threads = common.threads;
  out.runtime.durability
    = *protocol::from_word<convene::durability>(arguments.durability);
  keep(arguments, out.runtime);
  out.runtime.sandbox = arguments.sandbox;
  for (const auto& each :
       {arguments.data, arguments.workflows, arguments.outside,
        arguments.webhook_secrets, arguments.callback_secret, arguments.agents,
        arguments.keys, arguments.events_credentials, arguments.events_ca})
    if (!each.empty())
      out.runtime.guarded.emplace_back(each);
  if (out.listen.tls) {
    out.runtime.guarded.emplace_back(out.listen.tls->certificate);
    out.runtime.guarded.emplace_back(out.listen.tls->key);
  }
  if (auto done = join_others(arguments, out); !done)
    return fail(std::move(done).error());
  out.runtime.log_prompts = arguments.log_prompts;
  if (auto done = out.runtime.allow.allow_all(arguments.allow); !done)
    return fail(std::move(done).error());
  return out;
}

} // namespace convene::cli
