#include <boost/json/array.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/server/mcp/mcp_era.hpp>

#include <algorithm>
#include <array>

namespace convene::server {
namespace {

namespace json = boost::json;

constexpr std::string_view version_key
  = "io.modelcontextprotocol/protocolVersion";
constexpr std::string_view capabilities_key
  = "io.modelcontextprotocol/clientCapabilities";

} // namespace

bool is_initialized_version(std::string_view version) {
  constexpr std::array<std::string_view, 4> all{mcp_initialized_latest,
                                                "2025-06-18", "2025-03-26",
                                                "2024-11-05"};
  return std::ranges::find(all, version) != all.end();
}

std::string_view claimed_version(const rpc_message& from) {
  return protocol::text_of(protocol::object_of(from.params, "_meta"),
                           version_key);
}

tl::expected<bool, rpc_fault> is_self_contained(const rpc_message& from) {
  const auto& meta = protocol::object_of(from.params, "_meta");
  const auto* claim = meta.if_contains(version_key);
  if (claim == nullptr)
    return false;
  if (!claim->is_string())
    return tl::unexpected{rpc_fault{
      .code = rpc_code::invalid_params,
      .message = "_meta: " + std::string{version_key} + " must be a text"}};
  const auto version = claimed_version(from);
  if (version != mcp_self_contained_version)
    return tl::unexpected{
      rpc_fault{.code = rpc_code::unsupported_version,
                .message = "this server does not speak version "
                           + protocol::quote(version) + " of the protocol",
                .data = {{"supported", json::array{mcp_self_contained_version}},
                         {"requested", version}}}};
  const auto* capabilities = meta.if_contains(capabilities_key);
  if (from.what == rpc_message::kind::request
      && (capabilities == nullptr || !capabilities->is_object()))
    return tl::unexpected{
      rpc_fault{.code = rpc_code::invalid_params,
                .message = "_meta: " + std::string{capabilities_key}
                           + " must be an object; send {} if there are none"}};
  return true;
}

} // namespace convene::server
