#pragma once

#include <convene/session/conversation/conversation.hpp>
#include <convene/session/conversation/shared_view.hpp>

#include <deque>

namespace convene::session {

struct opening_ids;

/// The conversations of a run, open and closed: of each node one at a time.
/// Events are numbered after all earlier ones of the run that this knows,
/// whoever made them: rule `sequence`. Numbers may be left out.
class run_conversations {
public:
  explicit run_conversations(std::string run_id) : run_id_{std::move(run_id)} {}

  /// Opens one for the node that the input names; what the node waits for ends
  /// first if it is due. A key that was used before gives the earlier answer,
  /// and `find_key` what came of it. Besides the rules of `conversation`:
  /// `conversation_open` for a node that waits already, or an id that is taken;
  /// `conversations_max`.
  [[nodiscard]] conversation_effects open(const open_conversation& input,
                                          protocol::timestamp_ms at,
                                          std::int64_t next_sequence);

  /// Takes another input for the latest conversation of a node. What repeats a
  /// turn of an earlier one gets its answer; another turn under such an id is
  /// refused, rule `message_id_reused`. A recorded one is what the source of a
  /// replay took.
  [[nodiscard]] conversation_effects
  feed(std::string_view node_id, const conversation_input& input,
       protocol::timestamp_ms at, std::int64_t next_sequence,
       bool is_recorded = false);

  /// Closes all that are due, the one that is due first first. Gives no answer,
  /// and a refusal only as an internal error.
  [[nodiscard]] conversation_effects close_due(protocol::timestamp_ms at,
                                               std::int64_t next_sequence);

  /// Cancels all that are open, in the order in which they were opened;
  /// likewise.
  [[nodiscard]] conversation_effects cancel_all(const std::string& reason,
                                                protocol::timestamp_ms at,
                                                std::int64_t next_sequence);

  [[nodiscard]] std::optional<protocol::timestamp_ms>
  next_deadline() const noexcept;

  /// Takes an event of the run's log; what is not about a conversation is
  /// passed over, but for its number. Fails as `conversation` does; rule
  /// `conversation_order` also for what `open` refuses, and
  /// `conversations_max`.
  [[nodiscard]] protocol::result<void> fold(const protocol::run_event& event);

  /// Whether no conversation stands in the middle of an input: rule
  /// `conversation_torn`.
  [[nodiscard]] protocol::result<void> check_whole() const;

  /// The latest of a node, or null.
  [[nodiscard]] const conversation* find(std::string_view node_id) const;

  /// The one that was opened under a key, or null; its state says how it ended.
  [[nodiscard]] const conversation* find_key(std::string_view key) const;

  /// The turns that an agent sees, in the order of the run's log. Valid until
  /// this changes.
  [[nodiscard]] std::vector<const recorded_turn*>
  turns_for(const turn_viewer& who) const;

  [[nodiscard]] const std::deque<conversation>& all() const noexcept {
    return all_;
  }

private:
  /// Places in `all_` by a name.
  using places = std::map<std::string, std::size_t, std::less<>>;

  [[nodiscard]] bool waits(std::string_view node_id) const;
  void keep(conversation made);
  conversation_effects
  open_new(const open_conversation& input, const opening_ids& ids,
           protocol::timestamp_ms at, std::int64_t next_sequence);
  /// One of the node before `latest` that has a turn of this one's message id.
  conversation* earlier_with(const protocol::conversation_turn* turn,
                             std::size_t latest);
  conversation_effects
  feed_one(conversation& to, const conversation_input& input,
           protocol::timestamp_ms at, std::int64_t next_sequence,
           bool is_recorded = false);
  conversation_effects feed_each(const std::vector<conversation*>& which,
                                 const conversation_input& input,
                                 protocol::timestamp_ms at,
                                 std::int64_t next_sequence);

  // run_conversations_fold.cpp
  conversation* owner_of(protocol::run_event_type type,
                         const protocol::run_event& event);
  protocol::result<void> fold_first(const protocol::run_event& event);
  protocol::result<void> fold_next(const protocol::run_event& event);

  std::string run_id_;
  std::deque<conversation> all_; ///< in the order of their opening
  places by_key_;
  places by_interrupt_;
  places by_suspension_;  ///< the id of node.suspended
  places by_id_;          ///< of those that were opened
  places latest_;         ///< by node
  std::size_t bytes_ = 0; ///< of all
  std::int64_t last_sequence_ = -1;
  protocol::timestamp_ms last_time_ = 0;
};

} // namespace convene::session
