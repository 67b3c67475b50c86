#include <convene/runtime/outside/http/url.hpp>
#include <convene/server/peers/cluster_front.hpp>
#include <convene/server/peers/peer_files.hpp>
#include <convene/server/peers/peer_request.hpp>
#include <spdlog/spdlog.h>

#include <chrono>
#include <utility>

namespace convene::server {
namespace {

constexpr std::chrono::milliseconds connect_time{2'000};
constexpr std::chrono::milliseconds statement_time{2'000};
constexpr std::chrono::milliseconds grace{500};

bool is_of_session(const route& one) {
  constexpr std::string_view session = "/v1/sessions/{id}";
  return one.pattern.starts_with(session)
         && (one.pattern.size() == session.size()
             || one.pattern[session.size()] == '/');
}

bool is_of_questions(const route& one) {
  return one.pattern == "/v1/requests"
         || one.pattern.starts_with("/v1/requests/");
}

/// The session whose questions are meant; empty: those of all.
std::string session_of_questions(const request& from) {
  if (!from.by.session_id.empty())
    return from.by.session_id;
  return std::string{from.parameter_of_query("session").value_or("")};
}

host::http_options options_of(const peer_options& peers) {
  // Who can write the cluster's database says where nodes are.
  return {.may_connect = [](const host::http_peer&) { return true; },
          .ca_file = peers.tls.client_ca.string(),
          .certificate_file = peers.tls.certificate.string(),
          .key_file = peers.tls.key.string()};
}

} // namespace

cluster_front::cluster_front(cluster_options how, std::size_t answer_bytes_max)
  : how_{std::move(how)}, answer_bytes_max_{answer_bytes_max},
    view_{{.url = how_.database,
           .connect_timeout = connect_time,
           .statement_timeout = statement_time,
           .grace = grace}} {
  if (how_.peers)
    client_.emplace(options_of(*how_.peers));
}

protocol::result<std::unique_ptr<cluster_front>>
cluster_front::open(cluster_options how, std::size_t answer_bytes_max) {
  if (how.peers) {
    auto fits = check_peer_name(how.node).and_then(
      [&] { return check_peer_files(how.peers->tls, how.node); });
    if (!fits)
      return protocol::fail(std::move(fits).error());
    if (auto can = host::origin_of("https://node"); !can) // loads libcurl
      return protocol::fail(std::move(can).error());
  }
  return std::unique_ptr<cluster_front>{
    new cluster_front{std::move(how), answer_bytes_max}};
}

cluster_front::~cluster_front() {
  stop();
}

void cluster_front::stop() {
  view_.stop();
  if (client_)
    client_->end();
}

routes cluster_front::for_cluster(routes endpoints, session_host& host) {
  sessions_ = &host;
  for (auto& one : endpoints) {
    const auto here = one.call;
    if (is_of_session(one))
      one.call = [this, here](const request& from, const responder& to) {
        const auto id = from.parameters.find("id");
        ask_for_session(from, to, here,
                        id == from.parameters.end() ? "" : id->second);
      };
    else if (is_of_questions(one))
      one.call = [this, here](const request& from, const responder& to) {
        if (auto id = session_of_questions(from); !id.empty())
          return ask_for_session(from, to, here, id);
        if (is_for_one_node(from))
          return ask_node(from, to, here);
        from.method == "POST" ? reply(from, to, here)
                              : list_requests(from, to, here);
      };
    else if (one.pattern == "/v1/sessions" && one.method == "GET")
      one.call = [this, here](const request& from, const responder& to) {
        is_for_one_node(from) ? ask_node(from, to, here)
                              : list_sessions(from, to, here);
      };
    else if (one.pattern == "/v1/sessions" && one.method == "POST")
      one.call = [this, here](const request& from, const responder& to) {
        place(from, to, here);
      };
    else
      continue;
    one.passes_on = client_.has_value();
  }
  return endpoints;
}

routes cluster_front::for_clients(routes endpoints) {
  for (auto& one : endpoints) {
    one.call = [call = one.call](const request& from, const responder& to) {
      if (!from.headers.contains(passed_on_header))
        return call(from, to);
      auto without = from;
      without.headers.erase(without.headers.find(passed_on_header));
      call(without, to);
    };
  }
  return endpoints;
}

peer_counts cluster_front::counts() const {
  const std::lock_guard lock{mutex_};
  return counts_;
}

void cluster_front::refused(std::string_view address, std::string_view reason) {
  constexpr std::chrono::seconds pause{1};
  std::uint64_t unlogged = 0;
  {
    const std::lock_guard lock{mutex_};
    ++counts_.handshakes_refused;
    const auto now = cluster_view::clock::now();
    if (logged_ && now - *logged_ < pause) {
      ++unlogged_;
      return;
    }
    logged_ = now;
    unlogged = std::exchange(unlogged_, 0);
  }
  if (unlogged == 0)
    spdlog::warn("the peer port refused a connection from {}: {}", address,
                 reason);
  else
    spdlog::warn("the peer port refused a connection from {}: {}; and {} more "
                 "before it",
                 address, reason, unlogged);
}

} // namespace convene::server
