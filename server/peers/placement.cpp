#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/server/peers/cluster_front.hpp>
#include <convene/server/peers/peer_request.hpp>
#include <convene/server/peers/rendezvous.hpp>
#include <convene/server/peers/wanted_node.hpp>
#include <convene/server/session_api/repeated_create.hpp>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <optional>
#include <utility>

// Where sessions begin.

namespace convene::server {
namespace {

/// Nodes that are tried, one after another, until one can be connected to.
constexpr std::size_t tries_max = 3;

wanted_node wanted_of(const request& from) {
  const auto text = [&](const char* member) {
    return std::string{from.parameter_of_query(member).value_or("")};
  };
  return {.name = text("node"), .label = text("label")};
}

/// What a request says of the session that it begins.
struct wanted_session {
  /// The same for each request that begins the same session.
  std::string placement_key;
  /// That it has if it was begun before; unset: no Idempotency-Key gives one.
  std::optional<std::string> id;
  bool is_draft = false;
};

wanted_session session_of(const request& from) {
  wanted_session made{.placement_key = from.id}; // of this request alone
  if (const auto body = protocol::parse_json(from.body);
      body && body->is_object()) {
    const auto& scenario = protocol::object_of(body->get_object(), "scenario");
    const auto& collab = protocol::object_of(scenario, "collab");
    if (const auto* id = collab.if_contains("collab_id");
        id != nullptr && id->is_string())
      made.placement_key = std::string{id->get_string()};
    made.id = id_by_key(from, scenario);
    const auto* const start = body->get_object().if_contains("start");
    made.is_draft = start != nullptr && start->is_bool() && !start->get_bool();
  }
  if (const auto key = from.header("idempotency-key"); !key.empty())
    made.placement_key = from.by.key_id + '\0' + std::string{key};
  return made;
}

response nodes_unknown(const protocol::error& why) {
  auto made = error_response(error_form::native, 503, "cluster_unreachable",
                             "the cluster's database does not say which nodes "
                             "are up; try again");
  made.headers.emplace_back("Retry-After", "2");
  made.is_of_key = false;
  spdlog::warn("which nodes are up cannot be found out: {}", to_string(why));
  return made;
}

response no_such_node(const std::string& detail, bool has_peers) {
  auto made = error_response(
    error_form::native, 503, "node_unavailable",
    has_peers ? "no node that is up fits `node` and `label` of the query; "
                "convene nodes lists the nodes"
              : "this node does not fit `node` and `label` of the query, and "
                "without --peer-tls it reaches no other one: ask that node",
    {{"wanted", detail}});
  made.headers.emplace_back("Retry-After", "5");
  return made;
}

} // namespace

void cluster_front::place(const request& from, const responder& to,
                          const handler& here) {
  const auto what
    = std::make_shared<const asked>(asked{from, to, here, std::string{}});
  if (!from.by.session_id.empty() || !from.header(passed_on_header).empty())
    return what->here(what->what, what->to);
  const auto session = session_of(from);
  if (!session.id)
    return place_new(what, session.placement_key, session.is_draft);
  const auto known
    = std::make_shared<const asked>(asked{from, to, here, *session.id});
  view_.find(*session.id, [this, what, known, session](auto where) {
    if (where && *where) // it has begun, and may be on another node since
      return decide(known, std::move(where), true);
    place_new(what, session.placement_key, session.is_draft);
  });
}

void cluster_front::place_new(const asked_request& what, const std::string& key,
                              bool is_draft) {
  const auto wanted = wanted_of(what->what);
  const bool is_any = wanted.name.empty() && wanted.label.empty();
  // Others do not find a draft.
  if ((is_draft && is_any)
      || (wanted.name == how_.node && wanted.label.empty()))
    return what->here(what->what, what->to);
  view_.list([this, what, key, is_any](auto nodes) {
    if (nodes)
      return place_on_one_of(what, key, *nodes, {});
    if (is_any)
      return what->here(what->what, what->to);
    what->to(nodes_unknown(nodes.error()));
  });
}

void cluster_front::place_on_one_of(
  const asked_request& what, const std::string& key,
  const std::vector<host::cluster_node>& nodes,
  const std::set<std::string>& without) {
  const auto wanted = wanted_of(what->what);
  std::vector<std::string> names;
  std::vector<std::string> addresses;
  for (const auto& one : nodes) {
    const bool is_this = is_own(one.is.name, one.boot_id);
    const bool is_reached = client_ && !one.is.peer_address.empty();
    if (one.lease.count() <= 0 || without.contains(one.is.name)
        || !(is_this || is_reached) || !wanted.admits(one.is))
      continue;
    names.push_back(one.is.name);
    addresses.push_back(is_this ? std::string{} : one.is.peer_address);
  }
  const bool is_any = wanted.name.empty() && wanted.label.empty();
  const auto at = names.size() == 1 ? 0 : pick_node(key, names);
  if (names.empty() && !is_any)
    return what->to(no_such_node(wanted.name.empty() ? "label " + wanted.label
                                                     : "node " + wanted.name,
                                 client_.has_value()));
  if (names.empty() || addresses[*at].empty())
    return what->here(what->what, what->to);
  const auto node = names[*at];
  pass(
    what, node, addresses[*at], [](response&) {},
    [this, what, key, nodes, without, node](const passed_call::failure& why) {
      // With a key the choice is the same each time, or there may be two.
      const bool is_free = what->what.header("idempotency-key").empty();
      if (is_free && why.code == "connect_failed"
          && without.size() + 1 < tries_max) {
        auto fewer = without;
        fewer.insert(node);
        return place_on_one_of(what, key, nodes, fewer);
      }
      auto made = error_response(
        error_form::native, 503, "node_unreachable",
        "the session was to begin on node \"" + node
          + "\", which has not answered (" + why.message
          + "); it may have begun there: try again with an Idempotency-Key",
        {{"node", node}});
      made.headers.emplace_back("Retry-After", "2");
      what->to(std::move(made));
    });
}

} // namespace convene::server
