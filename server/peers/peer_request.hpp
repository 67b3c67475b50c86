#pragma once

#include <convene/runtime/outside/http/http_message.hpp>
#include <convene/server/http/request.hpp>

#include <string_view>

namespace convene::server {

/// Marks a request that a node has passed on, with its name: no other node
/// passes it on again.
inline constexpr std::string_view passed_on_header = "convene-from-node";
/// The node that answered a request that was passed on.
inline constexpr std::string_view answered_by_header = "Convene-Node";

/// The same request to another node, whose certificate has to have its name.
[[nodiscard]] host::http_request
peer_request(const request& from, std::string_view own_name,
             std::string_view node, std::string_view peer_address);

} // namespace convene::server
