#pragma once

#include <boost/json/object.hpp>
#include <convene/protocol/documents/plan.hpp>
#include <convene/protocol/documents/trace.hpp>
#include <convene/session/single_agent/told_event.hpp>

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace convene::session {

/// The most segments and the most events that an agent's Trace keeps; further
/// ones are only counted, in the root span.
inline constexpr std::size_t agent_segments_max = 20'000;
inline constexpr std::size_t agent_trace_events_max = 100'000;

/// An event as the run's Trace has it, in the memory of `event`, of which it is
/// made. `trace_id` is the Trace's.
[[nodiscard]] boost::json::object trace_event(boost::json::object&& event,
                                              std::string_view trace_id);

/// Builds the Trace of a single agent's run from its events: a segment for each
/// attempt at a step, below it one for each action, one for each step that was
/// never begun. The events up to SATraceEmitted are its own, too; they are
/// counted only, for whoever has them. The same events give the same Trace, ids
/// included.
class agent_trace {
public:
  /// Takes the next of what `agent_events` returns.
  void add(const told_event& event);

  /// How many of the events so far, from the first on, the Trace has.
  [[nodiscard]] std::size_t kept() const noexcept {
    return kept_;
  }

  /// Once the first event was taken.
  [[nodiscard]] const std::string& trace_id() const noexcept {
    return trace_id_;
  }

  /// The Trace of the run, which executed this plan; without its events. Takes
  /// the segments.
  [[nodiscard]] protocol::trace finish(const protocol::plan& plan);

private:
  void open(const std::string& key, protocol::trace_segment segment);
  void close(std::string_view key, const told_event& event,
             protocol::segment_status as);
  void note_step(const told_event& event);
  void note_action(const told_event& event);

  std::string sa_id_;
  std::string trace_id_;
  std::string started_at_;
  std::string finished_at_;
  std::string outcome_;
  bool is_emitted_ = false;
  std::vector<protocol::trace_segment> segments_;
  std::size_t kept_ = 0;
  std::map<std::string, std::size_t, std::less<>> open_; ///< by step, execution
  std::size_t segments_dropped_ = 0;
  std::size_t events_dropped_ = 0;
};

} // namespace convene::session
