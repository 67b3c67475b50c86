#include <convene/protocol/base/uuid.hpp>
#include <convene/server/peers/cluster_front.hpp>
#include <convene/server/peers/peer_request.hpp>
#include <spdlog/spdlog.h>

#include <chrono>
#include <utility>

// Requests for sessions of other nodes.

namespace convene::server {
namespace {

/// Longer than another node may be silent.
constexpr std::chrono::seconds answer_time{80};

response try_later(unsigned seconds, std::string_view code,
                   const std::string& message, const std::string& node) {
  auto made = error_response(error_form::native, 503, code, message,
                             {{"node", node}});
  made.headers.emplace_back("Retry-After", std::to_string(seconds));
  made.is_of_key = false;
  return made;
}

/// Where a client can ask itself.
response ask_there(const host::session_place& where) {
  auto made = error_response(
    error_form::native, 421, "session_elsewhere",
    "the session is on node \"" + where.node
      + "\", which this node does not reach: ask that node, at the address in "
        "`details`, or start both with --peer-listen and --peer-tls",
    {{"node", where.node}, {"address", where.address}});
  made.is_of_key = false;
  return made;
}

/// To a node that has passed the request on. It looks again.
response not_here(const std::string& node, std::string_view by) {
  auto made = error_response(
    error_form::native, 421, "session_elsewhere",
    "the request was passed on by node \"" + std::string{by}
      + "\" and the session is not on this node either; it is not passed on "
        "twice",
    {{"node", node}});
  made.is_of_key = false;
  return made;
}

response no_database(const protocol::error& why) {
  auto made = error_response(error_form::native, 503, "cluster_unreachable",
                             "the session is not on this node, and the "
                             "cluster's database does not say where it is; try "
                             "again");
  made.headers.emplace_back("Retry-After", "2");
  made.is_of_key = false;
  spdlog::warn("where a session is cannot be found out: {}", to_string(why));
  return made;
}

/// With the peer's address for the URL that its certificate is checked by.
std::string with_address(std::string message, const std::string& node,
                         const std::string& peer_address) {
  const auto asked = "https://" + node + ":443";
  for (auto at = message.find(asked); at != message.npos;
       at = message.find(asked, at + peer_address.size()))
    message.replace(at, asked.size(), peer_address);
  return message;
}

/// The own log has the beginning of a session that ended on another node.
response removed() {
  return error_response(
    error_form::native, 404, "session_unknown",
    "the cluster's database has no such session any more: ended ones are "
    "removed after a while with --keep-days");
}

bool is_id(std::string_view text) {
  const auto id = protocol::parse_uuid(text);
  return id && to_string(*id) == text;
}

} // namespace

bool cluster_front::is_here(const std::string& session_id) const {
  const auto& known = sessions_->events()->sessions();
  return known.find(session_id) && !known.is_elsewhere(session_id);
}

bool cluster_front::is_own(const std::string& node,
                           const std::string& boot_id) const {
  return node == how_.node && (!how_.boot_id || how_.boot_id() == boot_id);
}

void cluster_front::ask_for_session(const request& from, const responder& to,
                                    const handler& here,
                                    const std::string& session_id) {
  const auto& own = from.by.session_id;
  if (!is_id(session_id) || (!own.empty() && own != session_id)
      || is_here(session_id))
    return here(from, to);
  if (const auto by = from.header(passed_on_header); !by.empty())
    return to(not_here(how_.node, by));
  const auto what
    = std::make_shared<const asked>(asked{from, to, here, session_id});
  view_.find(session_id, [this, what](auto where) {
    decide(what, std::move(where), true);
  });
}

void cluster_front::decide(
  const asked_request& what,
  protocol::result<std::optional<host::session_place>> where, bool is_first) {
  if (!where)
    return what->to(no_database(where.error()));
  if (!*where && sessions_->events()->sessions().is_elsewhere(what->session_id))
    return what->to(removed());
  if (!*where || is_here(what->session_id))
    return what->here(what->what, what->to);
  const auto& at = **where;
  if (is_own(at.node, at.boot_id)) {
    if (at.has_ended)
      return what->here(what->what, what->to);
    return what->to(try_later(1, "session_starting",
                              "this node has the session and is starting it; "
                              "try again",
                              at.node));
  }
  if (!at.is_member && at.has_ended)
    return what->to(try_later(60, "node_down",
                              "the session has ended on node \"" + at.node
                                + "\", which is down: its events are in the "
                                  "data of that node and in the cluster's "
                                  "database, and are shown here again once the "
                                  "node is up",
                              at.node));
  if (!at.is_member)
    return what->to(try_later(5, "node_down",
                              "the session is on node \"" + at.node
                                + "\", which is down; try again",
                              at.node));
  if (!client_ || at.peer_address.empty())
    return what->to(ask_there(at));
  pass_to_owner(what, at, is_first);
}

void cluster_front::pass_to_owner(const asked_request& what,
                                  const host::session_place& where,
                                  bool is_first) {
  pass(
    what, where.node, where.peer_address,
    [this, id = what->session_id](const response& answer) {
      if (answer.status == 404)
        view_.forget(id);
    },
    [this, what, where, is_first](const passed_call::failure& why) {
      if (why.status == 421)
        return not_there(what, where, is_first);
      what->to(try_later(2, "node_unreachable",
                         "the session is on node \"" + where.node
                           + "\", which has not answered (" + why.message
                           + "); try again",
                         where.node));
    });
}

/// The owner has changed, or does not serve the session yet.
void cluster_front::not_there(const asked_request& what,
                              const host::session_place& where, bool is_first) {
  const auto moving = [what, where] {
    if (where.has_ended)
      return what->here(what->what, what->to);
    what->to(try_later(1, "session_moving",
                       "node \"" + where.node
                         + "\" has the session and does not serve it yet; try "
                           "again",
                       where.node));
  };
  view_.forget(what->session_id);
  if (!is_first)
    return moving();
  view_.find(what->session_id, [this, what, where, moving](auto now) {
    if (now && *now && (*now)->node == where.node)
      return moving();
    decide(what, std::move(now), false);
  });
}

void cluster_front::pass(
  const asked_request& what, const std::string& node,
  const std::string& peer_address, std::function<void(response&)> see,
  std::function<void(const passed_call::failure&)> fail) {
  const auto count = [this](std::uint64_t peer_counts::*which) {
    const std::lock_guard lock{mutex_};
    ++(counts_.*which);
  };
  const auto call = passed_call::begin(
    *client_, peer_request(what->what, how_.node, node, peer_address),
    answer_bytes_max_,
    {.answer =
       [what, node, count, see = std::move(see)](response made) {
         count(&peer_counts::answered);
         see(made);
         made.headers.emplace_back(answered_by_header, node);
         what->to(std::move(made));
       },
     .fail =
       [what, node, peer_address, count,
        fail = std::move(fail)](passed_call::failure why) {
         why.message = with_address(std::move(why.message), node, peer_address);
         const bool is_elsewhere = why.status == 421;
         count(is_elsewhere ? &peer_counts::elsewhere
                            : &peer_counts::unreachable);
         if (!is_elsewhere)
           spdlog::warn("{}: node \"{}\" has not answered: {}", what->what.id,
                        node, why.message);
         fail(why);
       },
     .cut = [count] { count(&peer_counts::cut); }});
  if (what->what.method == "POST" || what->what.method == "DELETE")
    return; // it is to be carried out in any case
  what->to.after(answer_time, [call, node] {
    call->abandon();
    return try_later(
      2, "node_unreachable",
      "node \"" + node + "\" has not answered in time; try again", node);
  });
}

} // namespace convene::server
