#include <convene/protocol/json/members.hpp>
#include <convene/session/conversation/fold_errors.hpp>
#include <convene/session/conversation/run_conversations.hpp>

#include <algorithm>

namespace convene::session {

using namespace protocol;

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
  if (event.sequence <= last_sequence_)
    return wrong_event("the event's number is not after the one before",
                       "/sequence");
  auto done = fold_next(event);
  if (done)
    last_sequence_ = event.sequence;
  return done;
}

result<void> run_conversations::fold_next(const run_event& event) {
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
  last_time_ = std::max(last_time_, owner->state().last_time);
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

} // namespace convene::session
