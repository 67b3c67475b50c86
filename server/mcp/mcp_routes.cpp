#include <convene/protocol/json/members.hpp>
#include <convene/protocol/text/base64.hpp>
#include <convene/server/mcp/mcp_era.hpp>
#include <convene/server/mcp/mcp_routes.hpp>

#include <chrono>
#include <optional>
#include <utility>

namespace convene::server {
namespace {

/// Beyond its longest wait, a call may take so long.
constexpr std::chrono::seconds call_slack{60};

response rpc_response(unsigned status, std::string body) {
  return {.status = status, .body = std::move(body)};
}

/// The status of an error in the newer era; in the older one it is in an answer
/// like any.
unsigned status_of(const rpc_fault& fault, bool is_self_contained) {
  return is_self_contained && fault.code == rpc_code::method_not_found ? 404
                                                                       : 200;
}

/// A value as such a header has it.
bool is_header(std::string_view header, std::string_view value) {
  return header == value
         || header == "=?base64?" + protocol::to_base64(value) + "?=";
}

rpc_fault mismatch(std::string what) {
  return {.code = rpc_code::header_mismatch, .message = std::move(what)};
}

/// What is wrong with the headers of a message of the newer era.
std::optional<rpc_fault> wrong_headers(const request& from,
                                       const rpc_message& asked) {
  if (from.header("mcp-protocol-version") != claimed_version(asked))
    return mismatch("the header MCP-Protocol-Version must be the version in "
                    "_meta");
  if (from.header("mcp-method") != asked.method)
    return mismatch("the header Mcp-Method must be the message's `method`");
  const auto* named = asked.method == "tools/call"       ? "name"
                      : asked.method == "resources/read" ? "uri"
                                                         : nullptr;
  if (named != nullptr
      && !is_header(from.header("mcp-name"),
                    protocol::text_of(asked.params, named)))
    return mismatch("the header Mcp-Name must be the message's params."
                    + std::string{named});
  return std::nullopt;
}

/// What is wrong with the version in the headers of a message of the older era.
std::optional<rpc_fault> wrong_version(const request& from,
                                       const rpc_message& asked) {
  const auto version = from.header("mcp-protocol-version");
  if (version == mcp_self_contained_version)
    return rpc_fault{.code = rpc_code::invalid_params,
                     .message = "a request of version "
                                + std::string{mcp_self_contained_version}
                                + " names its version in params._meta, too"};
  if (version.empty() || is_initialized_version(version)
      || asked.method == "initialize")
    return std::nullopt;
  return rpc_fault{.code = rpc_code::invalid_request,
                   .message = "this server does not speak version "
                              + protocol::quote(version) + " of the protocol"};
}

void take(mcp_service& service, const request& from, const responder& to) {
  auto asked = read_rpc(from.body, service.limits().message_bytes_max);
  if (!asked)
    return to(
      rpc_response(400, rpc_answer(asked.error().id, asked.error().fault)));
  const auto era = is_self_contained(*asked);
  if (!era)
    return to(rpc_response(400, rpc_answer(asked->id, era.error())));
  const bool is_newer = *era;
  if (const auto wrong = is_newer ? wrong_headers(from, *asked)
                                  : wrong_version(from, *asked))
    return to(rpc_response(400, rpc_answer(asked->id, *wrong)));
  // Nothing is asked of clients, and their calls end with their connections.
  if (asked->what != rpc_message::kind::request)
    return to({.status = 202, .content_type = ""});
  std::stop_source stop;
  to.with_news_after(
    service.limits().wait_max + call_slack, [stop, id = asked->id]() mutable {
      stop.request_stop();
      return rpc_response(
        200, rpc_answer(id, rpc_fault{.code = rpc_code::busy,
                                      .message = "the server is stopping, or "
                                                 "the call took too long"}));
    });
  auto then = [to, id = asked->id, is_newer](const mcp_service::outcome& made) {
    to(made ? rpc_response(200, rpc_answer(id, *made))
            : rpc_response(status_of(made.error(), is_newer),
                           rpc_answer(id, made.error())));
  };
  service.answer(*std::move(asked), from.by, stop.get_token(), std::move(then));
}

} // namespace

routes mcp_routes(std::shared_ptr<mcp_service> service) {
  return {{.method = "POST",
           .pattern = "/mcp",
           .scope = "runs:read",
           .call = [service = std::move(service)](
                     const request& from,
                     const responder& to) { take(*service, from, to); },
           .repeatable_by_key = false,
           .about = "MCP over Streamable HTTP: sessions as tools of agents"}};
}

} // namespace convene::server
