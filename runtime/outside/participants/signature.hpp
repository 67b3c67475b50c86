#pragma once

#include <convene/runtime/outside/http/http_message.hpp>

#include <string>

namespace convene::host {

/// Adds the headers that say who has sent a call's body, and when:
/// `X-Convene-Timestamp`, seconds since 1970, and `X-Convene-Signature`,
/// `sha256=` and the HMAC-SHA256 of that time, a dot and the body.
void add_signature(http_request& to, const std::string& secret);

} // namespace convene::host
