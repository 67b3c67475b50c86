#pragma once

#include <convene/protocol/documents/common.hpp>

namespace convene::protocol {

enum class trace_status : std::uint8_t {
  pending,
  running,
  completed,
  failed,
  cancelled
};
CONVENE_WORDS(trace_status, "pending", "running", "completed", "failed",
              "cancelled");

enum class segment_status : std::uint8_t {
  pending,
  running,
  completed,
  failed,
  cancelled,
  skipped
};
CONVENE_WORDS(segment_status, "pending", "running", "completed", "failed",
              "cancelled", "skipped");

/// One segment of a run.
struct trace_segment {
  std::string segment_id; ///< v4 UUID
  std::optional<std::string> parent_segment_id;
  std::string label;
  segment_status status = segment_status::pending;
  std::optional<std::string> started_at;
  std::optional<std::string> finished_at;
  std::optional<json::object> attributes;

  bool operator==(const trace_segment&) const = default;
};

/// The audit record of one run (mplp-trace.schema.json).
struct trace {
  metadata meta;
  std::optional<protocol::governance> governance;
  std::string trace_id;   ///< v4 UUID
  std::string context_id; ///< v4 UUID
  std::optional<std::string> plan_id;
  trace_base root_span;
  trace_status status = trace_status::pending;
  std::optional<std::string> started_at;
  std::optional<std::string> finished_at;
  std::optional<std::vector<trace_segment>> segments;
  std::optional<std::vector<base_event>> events;

  bool operator==(const trace&) const = default;
};

} // namespace convene::protocol
