#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/protocol/documents/trace_ids.hpp>
#include <convene/protocol/otlp/span.hpp>

#include <map>
#include <set>

namespace convene::protocol {

/// The most spans of one session, and the most events on all of them; events
/// beyond are only counted.
inline constexpr std::size_t otlp_spans_max = 20'000;
inline constexpr std::size_t otlp_span_events_max = 20'000;

/// Turns one session's events, in their order, into the spans of a trace: one
/// for the session, below it one for each request (turn, broadcast's receiver,
/// decision, vote), below those one for each attempt at an action. Turns and
/// answers have the ids of the segments in the session's Trace, attempts those
/// that they handed on. Where the session's scenario has a `trace_context`, the
/// spans are a part of that trace.
class session_spans {
public:
  explicit session_spans(std::string_view session_id);

  /// An event that has nothing to show, or that is not what docs/events.md
  /// says, is passed over. Fails with errc::limit_reached, rule
  /// `otlp_spans_max`; no trace can be made then.
  [[nodiscard]] result<void> add(const json::object& event);

  [[nodiscard]] std::size_t size() const noexcept {
    return spans_.size();
  }

  /// The trace of the events so far. What is still open ends with the last of
  /// them and has the attribute `mplp.unfinished`.
  [[nodiscard]] span_trace take() &&;

private:
  struct conflict {
    std::size_t on = 0; ///< the span that has its event
    timestamp_ms at = 0;
  };
  struct outcome {
    std::string_view status;
    span_status shown = span_status::unset;
    std::string_view code;
    std::string_view message;
  };
  using places = std::map<std::string, std::size_t, std::less<>>;

  void take_event(const json::object& event, std::string_view type,
                  const json::object& payload);
  void start_session(const json::object& payload);
  void end_session(const json::object& payload);
  void start_turn(const json::object& payload);
  void start_broadcast(const json::object& payload);
  void end_request(const json::object& payload, std::string_view token,
                   std::string_view who, std::optional<std::size_t> segment);
  void take_input(const json::object& payload);
  void answer_question(const json::object& payload, std::string_view input);
  void miss_decision(const json::object& payload);
  void start_action(const json::object& event, const json::object& payload);
  void end_action(const json::object& event, const json::object& payload);
  void note(std::string_view type, const json::object& payload);

  std::size_t open(trace_span what);
  std::size_t open_request(std::string_view operation, std::string_view token,
                           std::string_view who, timestamp_ms since);
  /// A request whose beginning is not on the log: since the last event that
  /// may have led to it.
  std::size_t open_question(std::string_view token, std::string_view who);
  static outcome outcome_of(std::string_view status, const json::object& error);
  void close(std::size_t at, const outcome& how);
  void use(std::size_t at, const json::object& from);
  [[nodiscard]] std::optional<std::size_t> find(std::string_view token,
                                                std::string_view who) const;
  [[nodiscard]] std::size_t span_for(const json::object& payload) const;
  [[nodiscard]] bool is_at_hand(std::size_t at) const;

  trace_ids ids_;
  std::string session_id_;
  std::vector<trace_span> spans_; ///< the session's first
  std::size_t segments_ = 0;
  std::size_t events_ = 0;
  bool is_full_ = false;
  timestamp_ms now_ = 0;
  timestamp_ms cause_ = 0; ///< of the last event that may lead to a question
  json::object behaviours_;
  places requests_;  ///< by token and participant
  places questions_; ///< the latest of each participant
  places actions_;   ///< open ones, by execution_id
  places steps_;     ///< the latest turn for each
  places handoffs_;  ///< the span that gave
  std::map<std::string, conflict, std::less<>> conflicts_;
  std::set<std::uint64_t> action_spans_;
  std::optional<trace_parent> caller_;
  std::string state_; ///< the caller's tracestate
};

} // namespace convene::protocol
