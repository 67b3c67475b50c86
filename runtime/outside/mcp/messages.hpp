#pragma once

#include <convene/protocol/documents/trace_context.hpp>
#include <convene/runtime/outside/mcp/connection.hpp>

#include <cstdint>
#include <optional>
#include <string_view>

namespace convene::host {

inline constexpr std::string_view mcp_version = "2026-07-28";
inline constexpr std::string_view mcp_initialized_version = "2025-11-25";

/// Whether it is a version of the era of `initialize` that we speak.
[[nodiscard]] bool speaks_initialized_version(std::string_view version);

/// What we are, as both eras have it.
[[nodiscard]] protocol::json::object mcp_client_info();

/// `_meta` of each request of the new era.
[[nodiscard]] protocol::json::object mcp_request_meta();

/// `_meta` that names a trace, in both eras.
[[nodiscard]] protocol::json::object
mcp_trace_meta(const protocol::trace_context& trace);

/// The id of a request of ours as an answer repeats it: a number or its digits.
[[nodiscard]] std::optional<std::int64_t>
answered_id(const protocol::json::object& message);

/// The result of a message that is an answer: its `result`, complete, or a
/// failure. `what` names server and method, for messages.
[[nodiscard]] mcp_connection::answer
result_of(const protocol::json::object& message, std::string_view what);

/// A tool as a page of tools/list has it; no name: it is not a valid one.
[[nodiscard]] tool tool_of(const protocol::json::value& from);

} // namespace convene::host
