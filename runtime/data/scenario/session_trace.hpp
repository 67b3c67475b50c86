#pragma once

#include <convene/protocol/codec/description.hpp>
#include <convene/protocol/documents/trace.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace convene::host {

/// What a segment tells of a turn or of an answer to a broadcast: members of
/// the event's payload.
struct segment_attributes {
  std::optional<std::string> participant_id;
  std::optional<std::string> role_id;
  std::optional<std::int64_t> turn_number;
  std::optional<std::string> token_id;
  std::optional<std::string> step_id;
  std::optional<std::string> receiver_participant;
  std::optional<std::string> receiver_role_id;
  std::optional<std::string> broadcast_ref;
  std::optional<std::string> status; ///< of the event that ended it

  bool operator==(const segment_attributes&) const = default;
};

/// A turn, or an answer to a broadcast.
struct session_segment {
  std::string segment_id; ///< v4 UUID
  std::string label;
  protocol::segment_status status = protocol::segment_status::pending;
  std::optional<std::string> started_at;
  std::optional<std::string> finished_at;
  segment_attributes attributes;

  bool operator==(const session_segment&) const = default;
};

/// A session's Trace, in which all segments are of one kind.
struct session_trace {
  protocol::metadata meta;
  std::string trace_id;   ///< v4 UUID
  std::string context_id; ///< v4 UUID
  std::optional<std::string> plan_id;
  protocol::trace_base root_span;
  protocol::trace_status status = protocol::trace_status::pending;
  std::optional<std::string> started_at;
  std::optional<std::string> finished_at;
  std::vector<session_segment> segments;
  std::optional<std::vector<protocol::base_event>> events;

  bool operator==(const session_trace&) const = default;
};

CONVENE_DESCRIBE(segment_attributes, MEMBER(participant_id), MEMBER(role_id),
                 MEMBER(turn_number), MEMBER(token_id), MEMBER(step_id),
                 MEMBER(receiver_participant), MEMBER(receiver_role_id),
                 MEMBER(broadcast_ref), MEMBER(status));

CONVENE_DESCRIBE(session_segment, MEMBER(segment_id), MEMBER(label),
                 MEMBER(status), MEMBER(started_at), MEMBER(finished_at),
                 MEMBER(attributes));

CONVENE_DESCRIBE(session_trace, MEMBER(meta), MEMBER(trace_id),
                 MEMBER(context_id), MEMBER(plan_id), MEMBER(root_span),
                 MEMBER(status), MEMBER(started_at), MEMBER(finished_at),
                 MEMBER(segments), MEMBER(events));

} // namespace convene::host
