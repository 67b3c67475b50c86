#include <convene/protocol/json/members.hpp>
#include <convene/session/conversation/checks.hpp>
#include <convene/session/conversation/run_conversations.hpp>

#include <algorithm>
#include <iterator>

namespace convene::session {
namespace {

using namespace protocol;

bool is_open(const conversation_state& of) {
  return of.status == conversation_status::open;
}

bool is_due(const conversation& what, timestamp_ms at) {
  const auto deadline = what.next_deadline();
  return deadline && at >= *deadline;
}

/// The turn that somebody outside takes, or null.
const conversation_turn* turn_in(const conversation_input& input) {
  if (const auto* taken = std::get_if<exchange_resume>(&input))
    return &taken->turn;
  const auto* const closing = std::get_if<close_conversation>(&input);
  return closing != nullptr && closing->answer.turn ? &*closing->answer.turn
                                                    : nullptr;
}

conversation_effects refused_opening(std::string rule, std::string message,
                                     errc kind) {
  conversation_effects made;
  made.refusal = refuse_input(interrupt_error::validation_error,
                              std::move(rule), std::move(message), {}, kind);
  return made;
}

} // namespace

conversation_effects run_conversations::open(const open_conversation& input,
                                             timestamp_ms at,
                                             std::int64_t next_sequence) {
  const auto ids = ids_of(input, run_id_);
  if (!ids) {
    conversation_effects made;
    made.refusal = {interrupt_error::validation_error, ids.error()};
    return made;
  }
  if (const auto known = by_key_.find(ids->key); known != by_key_.end())
    return feed_one(all_[known->second], input, at, next_sequence);
  // What the node waited for may be over, though no timer has said so.
  at = std::max(at, last_time_);
  conversation_effects late;
  if (const auto latest = latest_.find(input.node_id);
      latest != latest_.end() && is_due(all_[latest->second], at))
    late = feed_one(all_[latest->second], check_deadline{}, at, next_sequence);
  if (late.refusal)
    return late;
  auto made
    = open_new(input, *ids, at,
               next_sequence + static_cast<std::int64_t>(late.events.size()));
  made.events.insert(made.events.begin(),
                     std::move_iterator{late.events.begin()},
                     std::move_iterator{late.events.end()});
  return made;
}

conversation_effects run_conversations::open_new(const open_conversation& input,
                                                 const opening_ids& ids,
                                                 timestamp_ms at,
                                                 std::int64_t next_sequence) {
  if (by_id_.contains(ids.conversation_id) || waits(input.node_id))
    return refused_opening("conversation_open",
                           "the node waits in a conversation, or there has "
                           "been one with this id",
                           errc::not_allowed);
  if (all_.size() >= conversations_max)
    return refused_opening("conversations_max",
                           "a run has at most "
                             + std::to_string(conversations_max)
                             + " conversations",
                           errc::limit_reached);
  conversation made{run_id_};
  auto effects = feed_one(made, input, at, next_sequence);
  if (effects.answer)
    keep(std::move(made));
  return effects;
}

conversation_effects
run_conversations::feed(std::string_view node_id,
                        const conversation_input& input, timestamp_ms at,
                        std::int64_t next_sequence, bool is_recorded) {
  conversation_effects made;
  if (const auto latest = latest_.find(node_id); latest != latest_.end()) {
    auto* const earlier = earlier_with(turn_in(input), latest->second);
    if (earlier == nullptr)
      return feed_one(all_[latest->second], input, at, next_sequence,
                      is_recorded);
    // That of a client who asks the same again.
    made = feed_one(*earlier, input, at, next_sequence);
    if (made.refusal && made.refusal->code != interrupt_error::internal_error)
      made.refusal = refuse_input(interrupt_error::validation_error,
                                  "message_id_reused",
                                  "a turn of an earlier conversation of the "
                                  "node has this message id",
                                  "/turn/messageId");
    return made;
  }
  made.refusal = refuse_input(interrupt_error::interrupt_not_found,
                              "conversation_missing",
                              "no conversation of the node " + quote(node_id));
  return made;
}

conversation* run_conversations::earlier_with(const conversation_turn* turn,
                                              std::size_t latest) {
  if (turn == nullptr)
    return nullptr;
  const auto& node_id = all_[latest].state().node_id;
  for (std::size_t i = 0; i < latest; ++i)
    if (all_[i].state().node_id == node_id
        && all_[i].find(turn->message_id) != nullptr)
      return &all_[i];
  return nullptr;
}

conversation_effects
run_conversations::feed_one(conversation& to, const conversation_input& input,
                            timestamp_ms at, std::int64_t next_sequence,
                            bool is_recorded) {
  conversation_effects effects;
  effects.refusal = check_number(next_sequence, last_sequence_, sequence_max);
  if (effects.refusal)
    return effects;
  const auto before = to.state().bytes;
  const auto room = run_conversations_bytes_max
                    - std::min(bytes_, run_conversations_bytes_max);
  effects = to.feed(input, std::max(at, last_time_), next_sequence, room,
                    is_recorded);
  bytes_ += to.state().bytes - before;
  if (!effects.events.empty()) {
    last_sequence_ = effects.events.back().sequence;
    last_time_ = to.state().last_time;
  }
  return effects;
}

conversation_effects
run_conversations::feed_each(const std::vector<conversation*>& which,
                             const conversation_input& input, timestamp_ms at,
                             std::int64_t next_sequence) {
  conversation_effects made;
  for (auto* each : which) {
    auto effects = feed_one(*each, input, at, next_sequence);
    next_sequence += static_cast<std::int64_t>(effects.events.size());
    std::ranges::move(effects.events, std::back_inserter(made.events));
    if (effects.refusal
        && effects.refusal->code == interrupt_error::internal_error)
      made.refusal = std::move(effects.refusal);
  }
  return made;
}

conversation_effects run_conversations::close_due(timestamp_ms at,
                                                  std::int64_t next_sequence) {
  at = std::max(at, last_time_);
  std::vector<conversation*> due;
  for (auto& each : all_)
    if (is_due(each, at))
      due.push_back(&each);
  std::ranges::stable_sort(due, {}, [](const conversation* each) {
    return *each->next_deadline();
  });
  return feed_each(due, check_deadline{}, at, next_sequence);
}

conversation_effects run_conversations::cancel_all(const std::string& reason,
                                                   timestamp_ms at,
                                                   std::int64_t next_sequence) {
  std::vector<conversation*> open;
  for (auto& each : all_)
    if (is_open(each.state()))
      open.push_back(&each);
  return feed_each(open, cancel_conversation{reason}, at, next_sequence);
}

std::optional<timestamp_ms> run_conversations::next_deadline() const noexcept {
  std::optional<timestamp_ms> first;
  for (const auto& each : all_)
    if (const auto deadline = each.next_deadline();
        deadline && (!first || *deadline < *first))
      first = deadline;
  return first;
}

bool run_conversations::waits(std::string_view node_id) const {
  const auto* const latest = find(node_id);
  return latest != nullptr && (is_open(latest->state()) || !latest->is_whole());
}

void run_conversations::keep(conversation made) {
  const auto& state = made.state();
  const auto place = all_.size();
  by_key_.emplace(state.key, place);
  by_interrupt_.emplace(state.interrupt_id, place);
  by_suspension_.emplace(state.suspended_by, place);
  latest_.insert_or_assign(state.node_id, place);
  if (state.status != conversation_status::none)
    by_id_.emplace(state.conversation_id, place);
  all_.push_back(std::move(made));
}

const conversation* run_conversations::find(std::string_view node_id) const {
  const auto found = latest_.find(node_id);
  return found == latest_.end() ? nullptr : &all_[found->second];
}

const conversation* run_conversations::find_key(std::string_view key) const {
  const auto found = by_key_.find(key);
  return found == by_key_.end() ? nullptr : &all_[found->second];
}

std::vector<const recorded_turn*>
run_conversations::turns_for(const turn_viewer& who) const {
  std::vector<const recorded_turn*> seen;
  for (const auto& each : all_)
    for (const auto& turn : each.state().turns)
      if (may_see(who, each.state().conversation_id, turn.turn))
        seen.push_back(&turn);
  std::ranges::sort(seen, {}, &recorded_turn::sequence);
  return seen;
}

} // namespace convene::session
