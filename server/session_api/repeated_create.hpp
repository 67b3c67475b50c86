#pragma once

#include <boost/json/object.hpp>
#include <convene/server/http/request.hpp>
#include <convene/server/http/response.hpp>
#include <convene/server/sessions/session_host.hpp>

#include <optional>

namespace convene::server {

/// For a session that is created with an Idempotency-Key, and whose scenario
/// gives it no id: gives it one that follows from the caller, the key and the
/// body. So the same request finds the session again, after a restart too: the
/// answer, if it is there and not older than keys are kept.
[[nodiscard]] std::optional<response>
repeated_create(const session_host& host, const request& from,
                boost::json::object& scenario);

} // namespace convene::server
