#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/protocol/base/timestamp.hpp>
#include <convene/protocol/base/uuid.hpp>
#include <convene/protocol/documents/common.hpp>

namespace convene::host {

/// Adds to a scenario with embedded documents what the schemas require and its
/// author omitted: ids, `meta`, statuses, times, titles, the context. Never
/// changes existing members; one of the wrong type is left for the decoder to
/// refuse. Refuses documents that name different contexts.
[[nodiscard]] protocol::result<void> fill(protocol::json::object& scenario,
                                          protocol::uuid_source& ids,
                                          protocol::timestamp_ms now);

} // namespace convene::host
