#pragma once

#include <convene/protocol/base/timestamp.hpp>
#include <convene/protocol/base/uuid.hpp>
#include <convene/protocol/documents/common.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace convene::protocol {

/// What a change of an object puts on record: a core event without id and time,
/// which are the caller's to give.
struct lifecycle_event {
  std::string type;        ///< "plan_status_changed"
  std::string_view family; ///< "pipeline_stage"
  json::object members;    ///< those of the family
  json::object payload;

  bool operator==(const lifecycle_event&) const = default;
};

using lifecycle_events = std::vector<lifecycle_event>;

/// The event as mplp-event-core and its family's schema want it.
[[nodiscard]] json::object core_event(const lifecycle_event& what,
                                      const uuid& event_id, timestamp_ms at);

} // namespace convene::protocol
