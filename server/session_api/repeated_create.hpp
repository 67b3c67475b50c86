#pragma once

#include <boost/json/object.hpp>
#include <convene/server/http/request.hpp>
#include <convene/server/http/response.hpp>
#include <convene/server/sessions/session_host.hpp>

#include <optional>
#include <string>

namespace convene::server {

/// The id of a session that is created with an Idempotency-Key, and whose
/// scenario gives it no id: it follows from the caller, the key and the body.
[[nodiscard]] std::optional<std::string>
id_by_key(const request& from, const boost::json::object& scenario);

/// For a session that is created with an Idempotency-Key, and whose scenario
/// gives it no id: gives it that of `id_by_key`. So the same request finds the
/// session again, after a restart too: the answer, if it is there and not older
/// than keys are kept.
[[nodiscard]] std::optional<response>
repeated_create(const session_host& host, const request& from,
                boost::json::object& scenario);

} // namespace convene::server
