#pragma once

#include <convene/actors/behaviours/turn_request.hpp>
#include <convene/protocol/base/error.hpp>

namespace convene::host {

/// Reads a request as `to_json` writes it with a snapshot of the workspace, for
/// those who are asked from elsewhere. Members that it does not know are left
/// out; one that is missing or of another type is an error with its pointer.
/// What participants are called is all that there is of the roster, and each
/// resource counts as changed. No `live`.
[[nodiscard]] protocol::result<actors::turn_request>
read_request(const protocol::json::value& from);

/// The same for one who knows the session: participants have the positions and
/// the rest that `about` says of them.
[[nodiscard]] protocol::result<actors::turn_request>
read_request(const protocol::json::value& from,
             const session::session_info& about);

} // namespace convene::host
