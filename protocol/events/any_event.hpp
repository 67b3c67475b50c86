#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/protocol/documents/common.hpp>
#include <convene/protocol/events/core_events.hpp>
#include <convene/protocol/events/integration_events.hpp>
#include <convene/protocol/events/learning_samples.hpp>
#include <convene/protocol/events/map_event_value.hpp>
#include <convene/protocol/events/run_sample.hpp>
#include <convene/protocol/events/sa_event.hpp>
#include <convene/protocol/json/json_text.hpp>

#include <cstdint>
#include <string_view>
#include <variant>

namespace convene::protocol {

/// Every kind of event and learning sample that the protocol knows.
enum class event_kind : std::uint8_t {
  map,
  sa,
  pipeline_stage,
  graph_update,
  runtime_execution,
  core, ///< the other nine families
  base, ///< those inside module objects
  file_update,
  git,
  ci,
  tool,
  run_sample,
  intent_sample,
  delta_sample,
  sample ///< of another family
};
CONVENE_WORDS(event_kind, "map", "sa", "pipeline_stage", "graph_update",
              "runtime_execution", "core", "base", "file_update", "git", "ci",
              "tool", "run_sample", "intent_sample", "delta_sample", "sample");

/// In the order of `event_kind`.
using any_event
  = std::variant<map_event, sa_event, pipeline_stage_event, graph_update_event,
                 runtime_execution_event, core_event, base_event,
                 file_update_event, git_event, ci_event, tool_event, run_sample,
                 intent_sample, delta_sample, learning_sample>;

[[nodiscard]] inline event_kind kind_of(const any_event& event) noexcept {
  return static_cast<event_kind>(event.index());
}

/// What kind an event is, by the members that only its kind has; nothing if it
/// looks like none. Says nothing on whether it is valid.
[[nodiscard]] std::optional<event_kind>
guess_kind(const json::value& event) noexcept;

/// Reads an event or learning sample of any kind, in strict or native form.
/// What looks like none is refused with rule `event_kind`; other faults are
/// those of `decode` for the kind that it looks like.
[[nodiscard]] result<any_event> decode_event(const json::value& from,
                                             std::string_view pointer = "");

/// The same for a line of JSON text, with the faults of `parse_json`. The lines
/// of a log that hold no event (`log_opened`, `log_group`) are of no kind.
[[nodiscard]] result<any_event>
decode_event_line(std::string_view line, const json_limits& limits = {});

/// The event as JSON. Decodes to an equal value.
[[nodiscard]] json::value encode_event(const any_event& event);

} // namespace convene::protocol
