#include <convene/protocol/lifecycle/event.hpp>

namespace convene::protocol {

json::object core_event(const lifecycle_event& what, const uuid& event_id,
                        timestamp_ms at) {
  json::object out{{"event_id", to_string(event_id)},
                   {"event_type", what.type},
                   {"event_family", what.family},
                   {"timestamp", format_timestamp(at)}};
  for (const auto& [name, value] : what.members)
    out.insert_or_assign(name, value);
  out["payload"] = what.payload;
  return out;
}

} // namespace convene::protocol
