#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/server/sessions/session_host.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>

namespace convene::server {

/// The events of a session behind `after`, as many as fit. Blocks while they
/// are read from the log. Rule `session_unknown`, or `event_bytes_max`: the
/// first one does not fit.
[[nodiscard]] protocol::result<event_page>
events_after(session_host& host, const std::string& session_id,
             std::uint64_t after, const page_limits& most);

/// Calls `visit` with each durable event of a session, in their order, until a
/// stop is asked for.
[[nodiscard]] protocol::result<void>
for_each_event(session_host& host, const std::string& session_id,
               const std::stop_token& stop,
               const std::function<void(std::string_view line)>& visit);

} // namespace convene::server
