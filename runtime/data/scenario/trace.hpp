#pragma once

#include <convene/protocol/base/api.hpp>
#include <convene/protocol/documents/collab.hpp>
#include <convene/protocol/documents/trace_ids.hpp>
#include <convene/runtime/data/scenario/session_trace.hpp>
#include <convene/runtime/data/scenario/turn_failures.hpp>

#include <map>
#include <string_view>

namespace convene::host {

/// Builds one session's Trace from its events as they arrive: a segment for
/// each turn and for each answer to a broadcast, and an event each for the
/// session's start and end. The same events give the same Trace, ids included.
class trace_builder {
public:
  /// Takes complete lines, in log order.
  CONVENE_API void add(std::string_view lines);

  /// The Trace of the session that these documents belong to. Takes the
  /// segments and events from here.
  [[nodiscard]] CONVENE_API session_trace finish(
    const protocol::collab& collab, const std::optional<std::string>& plan_id);

  /// Of the events so far.
  [[nodiscard]] const turn_failures& failures() const noexcept {
    return failures_;
  }

private:
  [[nodiscard]] bool is_full() const noexcept {
    return segments_.size() == protocol::trace_segments_max;
  }
  void add_event(const protocol::json::object& event);
  void keep(const protocol::json::object& event, std::string event_type,
            std::string_view member);
  void take(std::string_view type, std::string_view time,
            segment_attributes&& payload);
  void open(segment_attributes&& payload, std::string_view time);
  void close(const segment_attributes& payload, std::string_view time);
  void answered(segment_attributes&& payload, std::string_view time);
  session_segment* add_segment(session_segment segment);

  std::vector<session_segment> segments_;
  std::vector<protocol::base_event> events_;
  turn_failures failures_;
  std::size_t dropped_ = 0;
  std::map<std::int64_t, std::size_t> open_; ///< turn number: segment
  std::optional<std::string> started_at_;
  std::optional<std::string> finished_at_;
};

} // namespace convene::host
