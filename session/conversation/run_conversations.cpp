#include <convene/protocol/json/members.hpp>
#include <convene/session/conversation/checks.hpp>
#include <convene/session/conversation/fold_errors.hpp>
#include <convene/session/conversation/run_conversations.hpp>

#include <algorithm>
#include <iterator>

namespace convene::session {
namespace {

using namespace protocol;

bool is_open(const conversation_state& of) {
  return of.status == conversation_status::open;
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
  if (by_id_.contains(ids->conversation_id) || waits(input.node_id))
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

conversation_effects run_conversations::feed(std::string_view node_id,
                                             const conversation_input& input,
                                             timestamp_ms at,
                                             std::int64_t next_sequence) {
  if (const auto known = latest_.find(node_id); known != latest_.end())
    return feed_one(all_[known->second], input, at, next_sequence);
  conversation_effects made;
  made.refusal = refuse_input(interrupt_error::interrupt_not_found,
                              "conversation_missing",
                              "no conversation of the node " + quote(node_id));
  return made;
}

conversation_effects
run_conversations::feed_one(conversation& to, const conversation_input& input,
                            timestamp_ms at, std::int64_t next_sequence) {
  const auto before = to.state().bytes;
  const auto room = run_conversations_bytes_max
                    - std::min(bytes_, run_conversations_bytes_max);
  auto effects = to.feed(input, at, next_sequence, room);
  bytes_ += to.state().bytes - before;
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
  std::vector<conversation*> due;
  for (auto& each : all_)
    if (const auto deadline = each.next_deadline(); deadline && at >= *deadline)
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

conversation* run_conversations::owner_of(run_event_type type,
                                          const run_event& event) {
  using enum run_event_type;
  const auto* const payload = event.payload.held.if_object();
  if (payload == nullptr)
    return nullptr;
  const auto named = [&](const places& all, std::string_view name) {
    const auto found = all.find(name);
    return found == all.end() ? nullptr : &all_[found->second];
  };
  switch (type) {
    case conversation_opened:
      return named(by_suspension_, event.causation_id.value_or(""));
    case conversation_exchanged:
    case conversation_closed:
      return named(by_id_, text_of(*payload, "conversationId"));
    default:
      return named(by_interrupt_, text_of(*payload, "interruptId"));
  }
}

result<void> run_conversations::fold_first(const run_event& event) {
  const auto* const payload = event.payload.held.if_object();
  if (payload == nullptr || text_of(*payload, "reason") != conversation_reason)
    return {};
  if (all_.size() >= conversations_max)
    return fail(errc::limit_reached, "too many conversations in one run",
                "conversations_max");
  conversation made{run_id_};
  if (auto done = made.fold(event); !done)
    return done;
  const auto& state = made.state();
  if (waits(state.node_id))
    return misplaced_event(event, "the node waits in a conversation");
  if (by_key_.contains(state.key)
      || by_suspension_.contains(state.suspended_by))
    return misplaced_event(event, "there has been a conversation with this key "
                                  "or suspension");
  keep(std::move(made));
  return {};
}

result<void> run_conversations::fold(const run_event& event) {
  const auto type = from_word<run_event_type>(event.type);
  if (!type)
    return {};
  auto* const owner = owner_of(*type, event);
  if (owner == nullptr) {
    if (*type == run_event_type::node_suspended)
      return fold_first(event);
    if (event.type.starts_with("conversation."))
      return misplaced_event(event, "nothing opened its conversation");
    return {};
  }
  const bool opens = *type == run_event_type::conversation_opened;
  if (opens
      && by_id_.contains(
        text_of(event.payload.held.get_object(), "conversationId")))
    return misplaced_event(event, "there has been a conversation with this id");
  const auto before = owner->state().bytes;
  auto done = owner->fold(event);
  if (!done)
    return done;
  bytes_ += owner->state().bytes - before;
  if (opens)
    by_id_.emplace(owner->state().conversation_id,
                   by_suspension_.find(owner->state().suspended_by)->second);
  return {};
}

result<void> run_conversations::check_whole() const {
  for (const auto& each : all_)
    if (!each.is_whole())
      return fail(errc::invalid_document,
                  "the log ends in the middle of what an input did to the "
                  "conversation of node "
                    + quote(each.state().node_id),
                  "conversation_torn");
  return {};
}

const conversation* run_conversations::find(std::string_view node_id) const {
  const auto found = latest_.find(node_id);
  return found == latest_.end() ? nullptr : &all_[found->second];
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
