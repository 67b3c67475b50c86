#pragma once

#include <convene/protocol/base/timestamp.hpp>
#include <convene/session/spec/spec.hpp>

namespace convene::host {

/// The latest time at which one of the scenario's documents was made or
/// changed, as far as a session that begins then can last as long as it may; 0:
/// none. A virtual clock that begins there is not behind the documents.
[[nodiscard]] protocol::timestamp_ms latest_time(const session::spec& of);

} // namespace convene::host
