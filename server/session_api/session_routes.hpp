#pragma once

#include <convene/server/http/route.hpp>
#include <convene/server/sessions/session_host.hpp>

namespace convene::server {

/// The endpoints under /v1/sessions and /v1/requests (docs/server-sessions.md).
/// `host` must outlive those who call them.
[[nodiscard]] routes session_routes(session_host& host);

/// Its parts.
[[nodiscard]] routes create_routes(session_host& host);
[[nodiscard]] routes fork_routes(session_host& host);
[[nodiscard]] routes state_routes(session_host& host);
[[nodiscard]] routes control_routes(session_host& host);
[[nodiscard]] routes event_routes(session_host& host);
[[nodiscard]] routes request_routes(session_host& host);
[[nodiscard]] routes message_routes(session_host& host);

} // namespace convene::server
