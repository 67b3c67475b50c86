#pragma once

#include <convene/protocol/base/timestamp.hpp>
#include <convene/protocol/conversation/conversation_events.hpp>
#include <convene/protocol/conversation/turn_schema.hpp>
#include <convene/session/conversation/input.hpp>
#include <convene/session/conversation/limits.hpp>

#include <map>

namespace convene::session {

/// How a conversation stands. A closed one was closed by an answer.
enum class conversation_status : std::uint8_t {
  none,
  open,
  closed,
  timed_out,
  cancelled
};

} // namespace convene::session

namespace convene::protocol {

inline constexpr std::string_view conversation_status_words[]{
  "none", "open", "closed", "timed_out", "cancelled"};
template <>
inline constexpr std::span<const std::string_view>
  words_of<session::conversation_status>{conversation_status_words};

} // namespace convene::protocol

namespace convene::session {

/// A turn, and the event that tells of it.
struct recorded_turn {
  protocol::conversation_turn turn;
  protocol::conversation_operation operation{};
  std::string event_id;
  std::int64_t sequence = 0;

  bool operator==(const recorded_turn&) const = default;
};

/// All that is known of a conversation. Only events change it.
struct conversation_state {
  conversation_status status = conversation_status::none;
  std::string run_id;
  std::string node_id;
  std::string interrupt_id;
  std::string key; ///< the same: the same request, which is answered once
  std::string conversation_id; ///< before the opening: if it was asked for
  std::optional<std::string> agent_id;
  std::optional<boost::json::object> schema;
  std::vector<protocol::conversation_capability> capabilities;
  std::vector<recorded_turn> turns; ///< by their index
  std::optional<protocol::any_value> outcome;
  std::int64_t timeout_ms = 0;
  std::optional<protocol::timestamp_ms> deadline;
  std::size_t bytes = 0;     ///< of schema, turns and outcome
  std::string suspended_by;  ///< id of node.suspended
  bool is_requested = false; ///< interrupt.requested
  bool is_resolved = false;  ///< interrupt.resolved
  bool is_resumed = false;   ///< node.resumed
  std::int64_t last_sequence = -1;
  protocol::timestamp_ms last_time = 0;

  bool operator==(const conversation_state&) const = default;
};

/// One conversation of a run's node: opened, any number of turns, closed; by an
/// answer, by its deadline or by cancellation, whichever comes first. Reads no
/// clock. An input changes it by the events that follow from it, and by nothing
/// else, so that these events alone give the same state again.
///
/// Rules of refusals: docs/conversations.md.
class conversation {
public:
  /// Makes the events of an input (recorder.hpp).
  class recorder;

  explicit conversation(std::string run_id) {
    state_.run_id = std::move(run_id);
  }

  /// Takes an input at a time. Events are numbered from `next_sequence` on,
  /// which is after all earlier ones, `sequence_max` at most, and for openings
  /// and exchanges `turn_sequence_max`. Time that goes back is taken for that
  /// of the last event. `room` is how many bytes the run may still keep. A turn
  /// that is recorded is not held against the schema: a replay takes what its
  /// source took. If the events cannot be appended to the run's log, this is to
  /// be folded from it again.
  [[nodiscard]] conversation_effects
  feed(const conversation_input& input, protocol::timestamp_ms at,
       std::int64_t next_sequence,
       std::size_t room = run_conversations_bytes_max,
       bool is_recorded = false);

  /// Takes an event of this conversation that was recorded. What turns say is
  /// not judged again, nor how large and how many they are: a log outlives the
  /// bounds of its time. Refuses, with the state as it was, what cannot follow:
  /// rule `conversation_order`; `conversation_event` for another run or node, a
  /// time, a cause or an outcome that is wrong; `conversation_id`,
  /// `turn_index`, `turn_role`, `message_id_reused`, `message_id_reserved`, and
  /// those of the decoder and of `turn_schema`.
  [[nodiscard]] protocol::result<void> fold(const protocol::run_event& event);

  /// Whether the events so far are those of whole inputs.
  [[nodiscard]] bool is_whole() const noexcept;

  [[nodiscard]] const conversation_state& state() const noexcept {
    return state_;
  }

  /// The turn with this message id, or null.
  [[nodiscard]] const recorded_turn* find(std::string_view message_id) const;

  /// When an open conversation ends by itself.
  [[nodiscard]] std::optional<protocol::timestamp_ms>
  next_deadline() const noexcept;

private:
  using refused = std::optional<conversation_refusal>;
  using timestamp_ms = protocol::timestamp_ms;

  /// What an input may change (recorder.cpp).
  struct checkpoint {
    conversation_state state; ///< without turns and schema
    std::size_t turns = 0;
    bool has_schema = false;
    std::optional<protocol::turn_schema> checks;
  };
  checkpoint save();
  void restore(checkpoint to);

  // conversation_fold.cpp
  /// Takes an event that was made of `what`, and is not to be decoded for that,
  /// nor measured: its turn has so many bytes.
  [[nodiscard]] protocol::result<void>
  fold(const protocol::run_event& event,
       protocol::conversation_exchanged&& what, std::size_t bytes);
  [[nodiscard]] protocol::result<timestamp_ms>
  time_of(const protocol::run_event& event,
          protocol::run_event_type type) const;
  protocol::result<void> passed(const protocol::run_event& event,
                                timestamp_ms at, protocol::result<void> done);
  // Each judges an event at a time and makes its change.
  protocol::result<void> fold_suspended(const protocol::run_event& event,
                                        timestamp_ms at);
  protocol::result<void> fold_requested(const protocol::run_event& event,
                                        timestamp_ms at);
  protocol::result<void> fold_opened(const protocol::run_event& event,
                                     timestamp_ms at);
  protocol::result<void> fold_exchanged(const protocol::run_event& event,
                                        timestamp_ms at);
  protocol::result<void>
  add_exchange(const protocol::run_event& event, timestamp_ms at,
               protocol::conversation_exchanged&& what, std::size_t bytes);
  protocol::result<void> fold_closed(const protocol::run_event& event,
                                     timestamp_ms at);
  protocol::result<void> fold_resolved(const protocol::run_event& event,
                                       timestamp_ms at);
  protocol::result<void> fold_resumed(const protocol::run_event& event,
                                      timestamp_ms at);
  [[nodiscard]] bool is_due(timestamp_ms at) const noexcept;
  [[nodiscard]] protocol::result<void>
  check_origin(const protocol::run_event& event, std::string_view node_id,
               std::string_view cause) const;
  [[nodiscard]] protocol::result<void>
  check_follows(const protocol::run_event& event,
                std::string_view conversation_id, std::int64_t turn_index,
                const protocol::conversation_turn& turn) const;
  [[nodiscard]] protocol::result<void>
  check_resume_value(const std::optional<protocol::any_value>& value) const;
  void add_turn(protocol::conversation_turn&& turn,
                protocol::conversation_operation operation,
                const protocol::run_event& event, std::size_t bytes);

  // conversation.cpp
  void take(recorder& to, const open_conversation& input);
  void take(recorder& to, const protocol::exchange_resume& input);
  void take(recorder& to, const close_conversation& input);
  void take(recorder& to, const cancel_conversation& input);
  void take(recorder& to, const check_deadline& input);
  void close(recorder& to, protocol::conversation_turn last,
             std::optional<protocol::any_value> outcome);
  void close_by_host(recorder& to, conversation_status as,
                     std::string_view message = {});
  void resume_node(recorder& to, const boost::json::value& outcome,
                   const std::optional<std::string>& resolved_by);
  [[nodiscard]] protocol::conversation_turn
  host_turn(const recorder& to, conversation_status as,
            std::string_view message) const;
  [[nodiscard]] conversation_answer answer_of(const recorded_turn& what) const;

  // turn_checks.cpp
  [[nodiscard]] refused check_turn(const protocol::conversation_turn& turn,
                                   bool is_recorded) const;
  [[nodiscard]] refused check_count() const;
  [[nodiscard]] refused check_room(std::size_t bytes, std::size_t room) const;
  [[nodiscard]] refused
  check_outcome(const std::optional<protocol::any_value>& outcome) const;

  conversation_state state_;
  /// Made of state_.schema, while it is open.
  std::optional<protocol::turn_schema> schema_;
  std::map<std::string, std::size_t, std::less<>> by_message_; ///< turns
};

} // namespace convene::session
