#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <convene/protocol/json/json_repair.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/runtime/outside/mcp/broken_message.hpp>
#include <convene/runtime/outside/mcp/connection.hpp>
#include <convene/runtime/outside/mcp/messages.hpp>

#include <algorithm>
#include <memory>
#include <set>
#include <utility>

namespace convene::host {
namespace {

namespace json = protocol::json;

constexpr std::int64_t method_not_found = -32601;
// Errors of the new era alone.
constexpr std::int64_t header_mismatch = -32020;
constexpr std::int64_t capability_missing = -32021;
constexpr std::int64_t unsupported_version = -32022;

json::object message_with(std::string_view method) {
  return {{"jsonrpc", "2.0"}, {"method", method}};
}

/// Whether a list of versions has one that `fits`.
bool any_version(const json::object& from, std::string_view name,
                 bool (*fits)(std::string_view)) {
  return std::ranges::any_of(protocol::texts_of(from, name), fits);
}

protocol::result<json::value> parse_foreign(std::string_view text) {
  auto made = protocol::parse_json(text);
  return made ? made : protocol::parse_json(protocol::repair_json(text).text);
}

bool is_our_version(std::string_view version) {
  return version == mcp_version;
}

} // namespace

/// All pages of a server's tools so far.
struct mcp_connection::listing {
  std::int64_t timeout_ms = 0;
  when_listed then;
  std::vector<tool> tools;
  std::set<std::string> names;
  std::string cursor;
  std::size_t pages = 0;
};

mcp_connection::mcp_connection(std::string name, mcp_wire wire,
                               std::int64_t timeout_ms, bool is_older)
  : name_{std::move(name)}, wire_{std::move(wire)}, timeout_ms_{timeout_ms},
    may_be_newer_{is_older} {
  if (is_older)
    initialize();
  else
    probe();
}

mcp_connection::failure mcp_connection::fault(std::string code,
                                              std::string message) const {
  failure made;
  made.code = std::move(code);
  made.message = "the MCP server " + name_ + ' ' + std::move(message);
  return made;
}

// The beginning.

void mcp_connection::begin_with(std::string_view method, json::object params,
                                std::int64_t timeout_ms, when_answered then) {
  beginning_ = put(method, std::move(params), timeout_ms, std::move(then));
  if (const auto found = open_.find(beginning_); found != open_.end())
    send(beginning_, found->second);
}

void mcp_connection::probe() {
  is_probed_ = true;
  begin_with("server/discover", {}, std::min(probe_ms, timeout_ms_),
             [this](answer how) { probed(std::move(how)); });
}

void mcp_connection::probed(answer how) {
  if (state_ != state::probing)
    return;
  if (how && any_version(*how, "supportedVersions", is_our_version))
    return become_ready(mcp_era::self_contained);
  if (how && !protocol::texts_of(*how, "supportedVersions").empty()
      && !any_version(*how, "supportedVersions", speaks_initialized_version))
    return end(fault("no_common_version",
                     "speaks none of the protocol's versions that convene "
                     "does"));
  may_be_newer_ = !how && how.error().code == "time_out";
  initialize();
}

void mcp_connection::initialize() {
  state_ = state::initializing;
  version_.clear();
  begin_with("initialize",
             {{"protocolVersion", mcp_initialized_version},
              {"capabilities", json::object{}},
              {"clientInfo", mcp_client_info()}},
             timeout_ms_, [this](answer how) { initialized(std::move(how)); });
}

void mcp_connection::begin_again() {
  if (auto first = open_.extract(beginning_))
    first.mapped().forget_timer();
  is_probed_ = false;
  may_be_newer_ = true; // if it has died for another reason
  initialize();
}

void mcp_connection::initialized(answer how) {
  if (state_ != state::initializing)
    return;
  if (!how)
    return may_be_newer_ && how.error().code == "server_error"
             ? probe_again(std::move(how).error())
             : end(std::move(how).error());
  const auto version = protocol::text_of(*how, "protocolVersion");
  if (!speaks_initialized_version(version))
    return end(fault("no_common_version", "wants to speak version "
                                            + protocol::quote(version)
                                            + ", which convene does not"));
  era_ = mcp_era::initialized;
  version_ = version;
  notify("notifications/initialized", {});
  become_ready(mcp_era::initialized);
}

void mcp_connection::probe_again(failure why_refused) {
  begin_with("server/discover", {}, timeout_ms_,
             [this, why = std::move(why_refused)](answer how) {
               if (how
                   && any_version(*how, "supportedVersions", is_our_version))
                 become_ready(mcp_era::self_contained);
               else
                 end(why);
             });
}

void mcp_connection::become_ready(mcp_era era) {
  era_ = era;
  state_ = state::ready;
  std::vector<request_id> waiting;
  for (const auto& [id, each] : open_)
    if (!each.is_sent)
      waiting.push_back(id);
  for (const auto id : waiting)
    if (const auto found = open_.find(id); found != open_.end())
      send(id, found->second);
}

// Requests.

mcp_connection::request_id
mcp_connection::ask(std::string_view method, json::object params,
                    std::int64_t timeout_ms, when_answered then) {
  if (state_ == state::over) {
    then(tl::unexpected{why_over_});
    return 0;
  }
  if (open_.size() >= requests_max) {
    then(
      tl::unexpected{fault("requests_max", "has " + std::to_string(requests_max)
                                             + " requests open already")});
    return 0;
  }
  const auto id = put(method, std::move(params), timeout_ms, std::move(then));
  if (state_ == state::ready)
    send(id, open_.at(id));
  return id;
}

mcp_connection::request_id
mcp_connection::put(std::string_view method, json::object params,
                    std::int64_t timeout_ms, when_answered then) {
  const auto id = ++last_id_;
  auto& made = open_[id];
  made.method = method;
  made.params = std::move(params);
  made.timeout_ms = timeout_ms;
  made.then = std::move(then);
  made.forget_timer = wire_.after(timeout_ms, [this, id] { time_out(id); });
  return id;
}

void mcp_connection::send(request_id which, pending& what) {
  auto message = message_with(what.method);
  message["id"] = which;
  // Only a transport that drops requests may have to send them again.
  auto params = wire_.drop ? what.params : std::exchange(what.params, {});
  const std::string name{protocol::text_of(params, "name")};
  if (era_ == mcp_era::self_contained && what.method != "initialize") {
    auto meta = mcp_request_meta();
    if (const auto* more = params.if_contains("_meta"))
      for (const auto& each : more->get_object())
        meta.insert(each);
    params["_meta"] = std::move(meta);
  }
  message["params"] = std::move(params);
  what.is_sent = true;
  const std::string method = what.method;
  if (!send_message(message, {.line = {},
                              .id = which,
                              .method = method,
                              .name = name,
                              .timeout_ms = what.timeout_ms}))
    close(which, tl::unexpected{
                   fault("request_bytes_max", "was asked something too large: "
                                                + protocol::quote(method))});
}

bool mcp_connection::send_message(const json::object& what, mcp_outgoing as) {
  const auto line = json::serialize(what);
  as.line = line;
  if (as.method != "initialize")
    as.version = era_ == mcp_era::self_contained ? mcp_version : version_;
  return wire_.send(as);
}

void mcp_connection::notify(std::string_view method, json::object params) {
  auto message = message_with(method);
  if (era_ == mcp_era::self_contained)
    params["_meta"] = mcp_request_meta();
  if (!params.empty())
    message["params"] = std::move(params);
  send_message(message, {.line = {}, .method = method});
}

void mcp_connection::time_out(request_id which) {
  const auto found = open_.find(which);
  if (found == open_.end())
    return;
  const auto& what = found->second;
  auto why = fault("time_out", "did not answer " + what.method + " within "
                                 + std::to_string(what.timeout_ms) + " ms");
  // Of these two, the protocol says that they are not cancelled.
  const bool is_told = what.is_sent && what.method != "initialize"
                       && what.method != "server/discover";
  if (is_told)
    give_up(which, "it took too long");
  close(which, tl::unexpected{std::move(why)});
}

void mcp_connection::cancel(request_id which) {
  const auto found = open_.find(which);
  if (found == open_.end())
    return;
  if (found->second.is_sent)
    give_up(which, "it is no longer needed");
  found->second.forget_timer();
  if (wire_.drop && found->second.is_sent)
    wire_.drop(which);
  open_.erase(found);
}

/// The server is told that nobody waits any more. Where that ends a stream, a
/// server of the new era hears it by that.
void mcp_connection::give_up(request_id which, std::string_view why) {
  if (era_ == mcp_era::initialized || !wire_.drop)
    notify("notifications/cancelled", {{"requestId", which}, {"reason", why}});
}

void mcp_connection::fail(request_id which, failure why) {
  close(which, tl::unexpected{std::move(why)});
}

bool mcp_connection::renew(request_id which) {
  const auto found = open_.find(which);
  if (found == open_.end() || found->second.is_renewed
      || era_ != mcp_era::initialized || which == beginning_
      || state_ == state::over)
    return false;
  found->second.is_renewed = true;
  found->second.is_sent = false;
  if (state_ == state::ready)
    initialize();
  return true;
}

void mcp_connection::close(request_id which, answer how) {
  auto found = open_.extract(which);
  if (!found)
    return;
  if (wire_.drop && found.mapped().is_sent)
    wire_.drop(which);
  found.mapped().forget_timer();
  found.mapped().then(std::move(how));
}

void mcp_connection::end(failure why) {
  if (state_ == state::over)
    return;
  state_ = state::over;
  why_over_ = std::move(why);
  auto all = std::exchange(open_, {});
  for (auto& [id, each] : all) {
    each.forget_timer();
    if (wire_.drop && each.is_sent)
      wire_.drop(id);
    each.then(tl::unexpected{why_over_});
  }
}

// What the server writes.

void mcp_connection::take_line(std::string_view line) {
  if (state_ == state::over || line.empty())
    return;
  const auto value = parse_foreign(line);
  if (!value)
    return take_unreadable(line, value.error());
  if (const auto* batch = value->if_array(); batch && !batch->empty()) {
    for (const auto& each : *batch)
      take_value(each);
    return;
  }
  take_value(*value);
}

void mcp_connection::take_value(const json::value& what) {
  if (state_ == state::over)
    return;
  const auto* message = what.if_object();
  if (message == nullptr || protocol::text_of(*message, "jsonrpc") != "2.0")
    return take_garbage("it is not a JSON-RPC message");
  take_message(*message);
}

void mcp_connection::take_message(const json::object& message) {
  if (!message.contains("method"))
    return take_answer(message);
  if (message.contains("id"))
    take_request(message);
  // Notifications tell us nothing that we would not ask for.
}

/// The only request that waits for an answer; 0: there is none, or several.
mcp_connection::request_id mcp_connection::only_open() const {
  request_id found = 0;
  for (const auto& [id, each] : open_)
    if (each.is_sent && std::exchange(found, id) != 0)
      return 0;
  return found;
}

void mcp_connection::take_answer(const json::object& message) {
  auto id = answered_id(message);
  const auto* given = message.if_contains("id");
  if (given == nullptr && !message.contains("error"))
    return take_garbage("it is neither a request nor an answer");
  // A server that cannot read a request does not know its id.
  if (given == nullptr || given->is_null())
    id = only_open();
  const auto found = id ? open_.find(*id) : open_.end();
  if (found == open_.end() || !found->second.is_sent)
    return; // late, or to nobody
  garbage_ = 0;
  const auto& what = found->second;
  auto how = result_of(message,
                       "the MCP server " + name_ + " to " + what.method);
  if (what.method == "server/discover" && !how) {
    const auto& error = protocol::object_of(message, "error");
    const auto& data = protocol::object_of(error, "data");
    const auto code = protocol::integer_of(error, "code");
    if (code == unsupported_version)
      how = json::object{{"supportedVersions", data.contains("supported")
                                                 ? data.at("supported")
                                                 : json::value(json::array{})}};
    else if (code == header_mismatch || code == capability_missing)
      how = json::object{{"supportedVersions", json::array{mcp_version}}};
  }
  close(*id, std::move(how));
}

void mcp_connection::take_request(const json::object& message) {
  if (era_ == mcp_era::self_contained && state_ == state::ready)
    return take_garbage("a server of this era asks nothing");
  json::object made{{"jsonrpc", "2.0"}, {"id", message.at("id")}};
  if (protocol::text_of(message, "method") == "ping")
    made["result"] = json::object{};
  else
    made["error"] = {{"code", method_not_found},
                     {"message", "convene offers no such method"}};
  send_message(made);
}

void mcp_connection::take_unreadable(std::string_view line,
                                     const protocol::error& why) {
  // Something was printed before the message, without a line end.
  constexpr std::string_view beginning = "{\"jsonrpc\"";
  if (const auto at = line.find(beginning, 1); at != line.npos)
    if (const auto rest = parse_foreign(line.substr(at)))
      if (const auto& message = rest->as_object(); !message.contains("method"))
        return take_value(message);
  const auto seen = look_at_broken(line);
  auto id = seen.id.value_or(0);
  if (const auto found = open_.find(id);
      found == open_.end() || !found->second.is_sent)
    id = seen.is_answer && !seen.id ? only_open() : 0;
  if (id == 0)
    return take_garbage(protocol::to_string(why));
  constexpr std::size_t before = 30;
  const auto from = why.column > before ? why.column - before : 0;
  const auto excerpt = line.substr(std::min(from, line.size()));
  close(id, tl::unexpected{
              fault("invalid_answer",
                    "answered " + open_.at(id).method
                      + " with a line that is not JSON (" + why.rule
                      + "): " + protocol::quote(protocol::shorten(excerpt)))});
}

void mcp_connection::take_garbage(std::string_view why) {
  if (!std::exchange(has_noted_garbage_, true) && wire_.note)
    wire_.note("wrote a line that is not a message: " + std::string{why});
  if (++garbage_ > garbage_lines_max)
    end(fault("garbage", "wrote more than " + std::to_string(garbage_lines_max)
                           + " lines that are not messages, without an answer "
                             "in between"));
}

// Tools.

void mcp_connection::list(std::int64_t timeout_ms, when_listed then) {
  auto all = std::make_shared<listing>();
  all->timeout_ms = timeout_ms;
  all->then = std::move(then);
  list_page(std::move(all));
}

void mcp_connection::list_page(std::shared_ptr<listing> of) {
  json::object params;
  if (!of->cursor.empty())
    params["cursor"] = of->cursor;
  const auto take = [this, of](answer how) {
    if (!how)
      return of->then(tl::unexpected{std::move(how).error()});
    const auto* tools = how->if_contains("tools");
    if (tools == nullptr || !tools->is_array())
      return of->then(tl::unexpected{
        fault("invalid_answer", "answered tools/list without tools")});
    for (const auto& each : tools->get_array()) {
      auto made = tool_of(each);
      if (made.name.empty() && wire_.note)
        wire_.note("has a tool without a name or schema; it is not used");
      else if (!made.name.empty() && of->names.insert(made.name).second)
        of->tools.push_back(std::move(made));
    }
    of->cursor = protocol::text_of(*how, "nextCursor");
    if (of->tools.size() > tools_max || ++of->pages >= pages_max)
      return of->then(tl::unexpected{
        fault("tools_max", "has more than " + std::to_string(tools_max)
                             + " tools, or more than "
                             + std::to_string(pages_max) + " pages of them")});
    if (of->cursor.empty())
      return of->then(std::move(of->tools));
    list_page(of);
  };
  ask("tools/list", std::move(params), of->timeout_ms, take);
}

} // namespace convene::host
