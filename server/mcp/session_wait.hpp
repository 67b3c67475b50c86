#pragma once

#include <convene/server/sessions/session_host.hpp>

#include <chrono>
#include <cstdint>
#include <stop_token>
#include <string>

namespace convene::server {

/// Blocks until the session has ended or asks a question, the time is
/// over, the host goes, or a stop is asked for.
void wait_for_change(session_host& host, const std::string& session_id,
                     std::chrono::milliseconds time,
                     const std::stop_token& stop);

/// Blocks until the session has more than `after` events, or no more will come;
/// else as above.
void wait_for_events(session_host& host, const std::string& session_id,
                     std::uint64_t after, std::chrono::milliseconds time,
                     const std::stop_token& stop);

} // namespace convene::server
