#pragma once

#include <convene/server/mcp/rpc_message.hpp>

#include <string_view>

namespace convene::server {

/// The version in which each request names its version itself.
inline constexpr std::string_view mcp_self_contained_version = "2026-07-28";

/// The latest version of the era of `initialize`.
inline constexpr std::string_view mcp_initialized_latest = "2025-11-25";

/// Whether it is a version of the era of `initialize` that the server speaks.
[[nodiscard]] bool is_initialized_version(std::string_view version);

/// The version that a request names in its `_meta`; empty: none, so it is of
/// the era of `initialize`.
[[nodiscard]] std::string_view claimed_version(const rpc_message& from);

/// Whether a message is of the newer era; its claim must be one that the server
/// can meet.
[[nodiscard]] tl::expected<bool, rpc_fault>
is_self_contained(const rpc_message& from);

} // namespace convene::server
