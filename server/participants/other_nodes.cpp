#include <convene/runtime/outside/http/url.hpp>
#include <convene/server/participants/other_nodes.hpp>
#include <convene/server/participants/remote_participant.hpp>
#include <convene/server/peers/peer_files.hpp>
#include <convene/server/peers/rendezvous.hpp>
#include <convene/server/peers/wanted_node.hpp>

#include <chrono>
#include <utility>
#include <vector>

namespace convene::server {
namespace {

using protocol::errc;
using protocol::fail;

constexpr std::chrono::milliseconds connect_time{5'000};
constexpr std::chrono::milliseconds statement_time{10'000};

host::http_options options_of(const peer_options& peers) {
  // Who can write the cluster's database says where nodes are.
  return {.may_connect = [](const host::http_peer&) { return true; },
          .ca_file = peers.tls.client_ca.string(),
          .certificate_file = peers.tls.certificate.string(),
          .key_file = peers.tls.key.string()};
}

/// "10.0.0.1:8443" of "https://10.0.0.1:8443".
std::string endpoint_in(std::string_view url) {
  const auto scheme = url.find("://");
  return std::string{scheme == url.npos ? url : url.substr(scheme + 3)};
}

protocol::result<other_nodes::reached_node>
pick_from(const std::vector<host::cluster_node>& all,
          const actors::node_place& where, std::string_view key,
          const std::set<std::string>& without) {
  const wanted_node wanted{.name = where.name, .label = where.label};
  std::vector<std::string> names;
  std::vector<std::string> addresses;
  for (const auto& one : all) {
    if (one.lease.count() <= 0 || one.is.peer_address.empty()
        || without.contains(one.is.name) || !wanted.admits(one.is))
      continue;
    names.push_back(one.is.name);
    addresses.push_back(endpoint_in(one.is.peer_address));
  }
  const auto at = pick_node(key, names);
  if (!at)
    return fail(errc::activation_refused,
                "no node of the cluster that is up and reached fits "
                  + to_string(where)
                  + "; convene nodes lists them with their labels",
                "node_unavailable");
  return other_nodes::reached_node{.name = names[*at],
                                   .address = addresses[*at]};
}

} // namespace

other_nodes::other_nodes(const cluster_options& how, own_identity own)
  : own_{std::move(own)}, view_{{.url = how.database,
                                 .connect_timeout = connect_time,
                                 .statement_timeout = statement_time}},
    client_{options_of(*how.peers)} {}

protocol::result<std::shared_ptr<other_nodes>>
other_nodes::open(const cluster_options& how, own_identity own) {
  if (auto fits = check_peer_name(how.node).and_then(
        [&] { return check_peer_files(how.peers->tls, how.node); });
      !fits)
    return fail(std::move(fits).error());
  if (auto can = host::origin_of("https://node"); !can) // loads libcurl
    return fail(std::move(can).error());
  return std::shared_ptr<other_nodes>{new other_nodes{how, std::move(own)}};
}

protocol::result<std::unique_ptr<actors::behaviour>>
other_nodes::make(std::string_view type, const protocol::json::value& config,
                  const actors::behaviour_setup& whose,
                  std::string_view pointer) {
  if (type != actors::node_member)
    return std::unique_ptr<actors::behaviour>{};
  auto place = actors::read_node_place(config, pointer);
  if (!place)
    return fail(std::move(place).error());
  session::spec settings{.seed = whose.seed};
  settings.collab.collab_id = whose.session_id;
  settings.collab.participants.push_back(
    {.participant_id = whose.participant_id});
  settings.behaviours[whose.participant_id] = actors::without_node(config);
  if (whose.mcp_servers != nullptr)
    settings.mcp_servers = *whose.mcp_servers;
  settings.options.rounds = whose.rounds;
  settings.options.retries = whose.retries;
  return std::make_unique<remote_participant>(shared_from_this(),
                                              *std::move(place),
                                              std::move(settings));
}

void other_nodes::stop() {
  view_.stop();
  client_.end();
}

void other_nodes::pick(const actors::node_place& where, std::string key,
                       std::set<std::string> without, when_picked then) {
  look({where, std::move(key), std::move(without), std::move(then)}, false);
}

void other_nodes::look(wish what, bool anew) {
  view_.list(
    [weak = weak_from_this(), what = std::move(what), anew](auto nodes) {
      if (!nodes)
        return what.then(
          fail(errc::io_failed,
               "the cluster's database does not say which nodes are up",
               "cluster_unreachable"));
      auto made = pick_from(*nodes, what.where, what.key, what.without);
      const auto self = weak.lock();
      if (!made && !anew && self) // it may have just begun
        return self->look(what, true);
      what.then(std::move(made));
    },
    anew);
}

void other_nodes::note_place(const std::string& session_id,
                             const std::string& participant_id,
                             const std::string& node) {
  const std::lock_guard lock{mutex_};
  if (!node.empty()) {
    const auto [at, is_new]
      = places_[session_id].insert_or_assign(participant_id, node);
    away_ += is_new ? 1 : 0;
    return;
  }
  const auto found = places_.find(session_id);
  if (found == places_.end())
    return;
  away_ -= found->second.erase(participant_id);
  if (found->second.empty())
    places_.erase(found);
}

std::map<std::string, std::string>
other_nodes::places_of(const std::string& session_id) const {
  const std::lock_guard lock{mutex_};
  const auto found = places_.find(session_id);
  return found == places_.end() ? std::map<std::string, std::string>{}
                                : found->second;
}

void other_nodes::count(participant_counts& to) const {
  to.turns_away = answered_;
  to.turns_lost = lost_;
  to.refused = refused_;
  const std::lock_guard lock{mutex_};
  to.away = away_;
}

} // namespace convene::server
