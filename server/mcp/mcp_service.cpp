#include <boost/json/array.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/server/mcp/mcp_era.hpp>
#include <convene/server/mcp/mcp_service.hpp>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <exception>
#include <utility>

namespace convene::server {
namespace {

namespace json = boost::json;

constexpr const char* instructions
  = "convene runs sessions in which several agents work on one task. Start one "
    "with run_session; follow it with session_status and read_events; answer "
    "what it asks with answer_question. explain says what happened in a "
    "session, and compare_modes which coordination mode suits a scenario.";

tl::unexpected<rpc_fault> no_method(const std::string& method) {
  return tl::unexpected{rpc_fault{.code = rpc_code::method_not_found,
                                  .message = "this server has no method "
                                             + protocol::quote(method)}};
}

bool is_slow(std::string_view method) {
  return method == "tools/call" || method == "resources/read";
}

/// Results that clients may keep, for as long as they say.
bool is_cacheable(std::string_view method) {
  constexpr std::array<std::string_view, 5> all{"server/discover", "tools/list",
                                                "resources/list",
                                                "resources/templates/list",
                                                "resources/read"};
  return std::ranges::find(all, method) != all.end();
}

json::object capabilities() {
  return {{"tools", json::object{}}, {"resources", json::object{}}};
}

} // namespace

protocol::result<std::shared_ptr<mcp_service>> mcp_service::open(options how) {
  auto tools = tool_book::open(std::move(how.tools),
                               how.limits.answer_bytes_max);
  if (!tools)
    return protocol::fail(std::move(tools).error());
  return std::shared_ptr<mcp_service>{
    new mcp_service{std::move(how), *std::move(tools)}};
}

mcp_service::mcp_service(options how, tool_book tools)
  : how_{std::move(how)}, tools_{std::move(tools)}, resources_{how_.sessions},
    pool_{{.threads = how_.limits.calls_max, .queue = how_.limits.calls_max}} {}

mcp_service::~mcp_service() {
  stop();
}

void mcp_service::stop() {
  stopping_.request_stop();
  // Calls end soon: they have been asked to, and what they wait for besides has
  // bounds of its own.
  static_cast<void>(pool_.wait_until_idle(std::chrono::hours{1}));
}

json::object mcp_service::info() const {
  return {{"name", "convene"}, {"version", how_.version}};
}

mcp_service::outcome mcp_service::initialize(const rpc_message& asked) const {
  const auto version = protocol::text_of(asked.params, "protocolVersion");
  if (version.empty())
    return tl::unexpected{
      rpc_fault{.code = rpc_code::invalid_params,
                .message = "`protocolVersion` must be a text, such as "
                           + std::string{mcp_initialized_latest}}};
  return json::object{{"protocolVersion", is_initialized_version(version)
                                            ? version
                                            : mcp_initialized_latest},
                      {"capabilities", capabilities()},
                      {"serverInfo", info()},
                      {"instructions", instructions}};
}

mcp_service::outcome mcp_service::discover() const {
  return json::object{{"supportedVersions",
                       json::array{mcp_self_contained_version}},
                      {"capabilities", capabilities()},
                      {"instructions", instructions}};
}

mcp_service::outcome mcp_service::answer_at_once(const rpc_message& asked,
                                                 bool is_self_contained) const {
  const auto& method = asked.method;
  if (method == "initialize" && !is_self_contained)
    return initialize(asked);
  if (method == "ping" && !is_self_contained)
    return json::object{};
  if (method == "server/discover" && is_self_contained)
    return discover();
  if (method == "tools/list")
    return json::object{{"tools", tools_.list()}};
  if (method == "resources/list")
    return resources_.list(asked.params);
  if (method == "resources/templates/list")
    return session_resources::templates();
  return no_method(method);
}

mcp_service::outcome
mcp_service::answer_slowly(const rpc_message& asked, const caller& by,
                           const std::stop_token& stop) const try {
  if (asked.method == "tools/call")
    return tools_.call(asked.params, by, stop);
  if (!by.may("runs:read"))
    return tl::unexpected{
      rpc_fault{.code = rpc_code::invalid_request,
                .message = "this key does not allow to read sessions: use one "
                           "with the scope runs:read"}};
  return resources_.read(asked.params);
} catch (const std::exception& failed) {
  spdlog::error("{}: {}", asked.method, failed.what());
  return tl::unexpected{
    rpc_fault{.code = rpc_code::internal_error,
              .message = "the server failed; its diagnostic log says why"}};
}

mcp_service::outcome mcp_service::finish(outcome what,
                                         const std::string& method,
                                         bool is_self_contained) const {
  if (!what || !is_self_contained)
    return what;
  what->emplace("resultType", "complete");
  (*what)["_meta"] = {{"io.modelcontextprotocol/serverInfo", info()}};
  if (is_cacheable(method)) {
    what->emplace("ttlMs", 0);
    what->emplace("cacheScope", "private");
  }
  return what;
}

void mcp_service::answer(rpc_message asked, const caller& by,
                         std::stop_token stop,
                         std::function<void(outcome)> then) {
  const auto era = is_self_contained(asked);
  if (!era)
    return then(tl::unexpected{era.error()});
  if (!is_slow(asked.method))
    return then(finish(answer_at_once(asked, *era), asked.method, *era));
  const auto busy = [&then, this](std::string message) {
    --calls_;
    then(tl::unexpected{
      rpc_fault{.code = rpc_code::busy, .message = std::move(message)}});
  };
  if (++calls_ > how_.limits.calls_max)
    return busy("too many calls are under way: wait for the answer to one of "
                "the "
                + std::to_string(how_.limits.calls_max));
  if (stopping_.stop_requested())
    return busy("the server is stopping");
  auto job = [this, asked = std::move(asked), by, stop = std::move(stop), then,
              is_self_contained = *era] {
    std::stop_source both;
    const std::stop_callback first{stop, [&both] { both.request_stop(); }};
    const std::stop_callback second{stopping_.get_token(),
                                    [&both] { both.request_stop(); }};
    auto made = finish(answer_slowly(asked, by, both.get_token()), asked.method,
                       is_self_contained);
    --calls_;
    then(std::move(made));
  };
  if (pool_.try_submit(std::move(job)) == 0)
    busy("the server has no thread for the call: try again later");
}

} // namespace convene::server
