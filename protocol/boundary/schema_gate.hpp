#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/protocol/boundary/shape_rules.hpp>
#include <convene/protocol/events/event_gate.hpp>
#include <convene/protocol/json_schema/compiled_schema.hpp>

#include <functional>
#include <memory>

namespace convene::protocol::boundary {

/// Compiles a schema by its `$id`, with or without a fragment.
using schema_source
  = std::function<result<compiled_schema>(std::string_view id)>;

/// Judges events by convene-native-event.schema.json, core events by the
/// protocol's schema of their family as well. The first event of each shape is
/// judged as a whole; with it, all that is constant in the shape is proved.
/// Of those that follow, the members that vary are judged, each by what the
/// compiled schemas ask for in its place. So are a scenario's tasks, beside the
/// event with a few of them, which is judged as a whole each time.
class schema_gate final : public event_gate {
public:
  /// Fails if a schema is not there or cannot be compiled. If `every_line`,
  /// every event is judged by the bytes that it became.
  [[nodiscard]] static result<std::unique_ptr<const schema_gate>>
  make(const schema_source& schemas, bool every_line);

  ~schema_gate() override;

  [[nodiscard]] bool passes(const event_head& head,
                            const map_session_started& event) const override;
  [[nodiscard]] bool passes(const event_head& head,
                            const map_turn_dispatched& event) const override;
  [[nodiscard]] bool passes(const event_head& head,
                            const map_turn_completed& event) const override;
  [[nodiscard]] bool passes(const event_head& head,
                            const map_broadcast_sent& event) const override;
  [[nodiscard]] bool passes(const event_head& head,
                            const map_broadcast_received& event) const override;
  [[nodiscard]] bool passes(const event_head& head,
                            const stage_changed& event) const override;
  [[nodiscard]] bool passes(const event_head& head,
                            const plan_created& event) const override;
  [[nodiscard]] bool passes(const event_head& head,
                            const step_added& event) const override;
  [[nodiscard]] bool passes(const event_head& head,
                            const decision_input& event) const override;
  [[nodiscard]] bool passes(const event_head& head,
                            const resource_written& event) const override;

  [[nodiscard]] std::string refusal(std::string_view line) const override;

private:
  struct inside;

  explicit schema_gate(std::unique_ptr<const inside> made);

  std::unique_ptr<const inside> inside_;
};

} // namespace convene::protocol::boundary
