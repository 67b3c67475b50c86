#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/protocol/events/event_gate.hpp>
#include <convene/protocol/json_schema/compiled_schema.hpp>

#include <functional>
#include <memory>

namespace convene::protocol::boundary {

/// Compiles a schema by its `$id`, with or without a fragment.
using schema_source
  = std::function<result<compiled_schema>(std::string_view id)>;

/// A gate that judges events by convene-native-event.schema.json, core events
/// by the protocol's schema of their family as well. The first event of each
/// shape is judged as a whole; with it, all that is constant in the shape is
/// proved. Of those that follow, the members that vary are judged, each by what
/// the compiled schemas ask for in its place. So are a scenario's tasks, beside
/// the event with a few of them, which is judged as a whole each time.
/// If `every_line`, every event is judged by the bytes that it became. Fails if
/// a schema is not there or cannot be compiled.
[[nodiscard]] result<std::unique_ptr<const event_gate>>
make_schema_gate(const schema_source& schemas, bool every_line);

} // namespace convene::protocol::boundary
