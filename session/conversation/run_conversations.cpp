#include <convene/protocol/conversation/ids.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/session/conversation/limits.hpp>
#include <convene/session/conversation/run_conversations.hpp>

#include <algorithm>
#include <iterator>
#include <ranges>

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
  const auto key = conversation_id(run_id_, input.node_id,
                                   input.interrupt_count);
  const auto own = conversation_id(run_id_, input.node_id, input.attempt);
  const auto id = input.conversation_id.value_or(own ? *own : "");
  if (key)
    if (auto* known = find_if([&](const auto& of) { return of.key == *key; }))
      return known->feed(input, at, next_sequence);
  if (find_if([&](const auto& of) {
        return of.conversation_id == id
               || (of.node_id == input.node_id && is_open(of));
      }))
    return refused_opening("conversation_open",
                           "the node waits in a conversation, or there was one "
                           "of this id",
                           errc::not_allowed);
  if (all_.size() >= conversations_max)
    return refused_opening("conversations_max",
                           "a run has at most "
                             + std::to_string(conversations_max)
                             + " conversations",
                           errc::limit_reached);
  conversation made{run_id_};
  auto effects = made.feed(input, at, next_sequence);
  if (effects.answer)
    all_.push_back(std::move(made));
  return effects;
}

conversation_effects run_conversations::feed(std::string_view node_id,
                                             const conversation_input& input,
                                             timestamp_ms at,
                                             std::int64_t next_sequence) {
  for (auto& each : all_ | std::views::reverse)
    if (each.state().node_id == node_id)
      return each.feed(input, at, next_sequence);
  conversation_effects made;
  made.refusal = refuse_input(interrupt_error::interrupt_not_found,
                              "conversation_missing",
                              "no conversation of the node " + quote(node_id));
  return made;
}

std::vector<run_event>
run_conversations::feed_each(const std::vector<conversation*>& which,
                             const conversation_input& input, timestamp_ms at,
                             std::int64_t next_sequence) {
  std::vector<run_event> made;
  for (auto* each : which) {
    auto effects = each->feed(input, at, next_sequence);
    next_sequence += static_cast<std::int64_t>(effects.events.size());
    std::ranges::move(effects.events, std::back_inserter(made));
  }
  return made;
}

std::vector<run_event>
run_conversations::close_due(timestamp_ms at, std::int64_t next_sequence) {
  std::vector<conversation*> due;
  for (auto& each : all_)
    if (const auto deadline = each.next_deadline(); deadline && at >= *deadline)
      due.push_back(&each);
  std::ranges::stable_sort(due, {}, [](const conversation* each) {
    return *each->next_deadline();
  });
  return feed_each(due, check_deadline{}, at, next_sequence);
}

std::vector<run_event>
run_conversations::cancel_all(const std::string& reason, timestamp_ms at,
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

conversation* run_conversations::find_if(
  const std::function<bool(const conversation_state&)>& matches) {
  const auto found = std::ranges::find_if(all_, [&](const conversation& each) {
    return matches(each.state());
  });
  return found == all_.end() ? nullptr : &*found;
}

conversation* run_conversations::owner_of(const run_event& event) {
  const auto* const payload = event.payload.held.if_object();
  if (payload == nullptr)
    return nullptr;
  if (event.type == to_word(run_event_type::conversation_opened))
    return find_if(
      [&](const auto& of) { return of.suspended_by == event.causation_id; });
  if (const auto id = text_of(*payload, "conversationId"); !id.empty())
    return find_if([&](const auto& of) { return of.conversation_id == id; });
  const auto id = text_of(*payload, "interruptId");
  return find_if([&](const auto& of) { return of.interrupt_id == id; });
}

result<void> run_conversations::fold(const run_event& event) {
  const auto type = from_word<run_event_type>(event.type);
  if (!type)
    return {};
  if (auto* owner = owner_of(event))
    return owner->fold(event);
  if (*type == run_event_type::node_suspended) {
    const auto* const payload = event.payload.held.if_object();
    if (payload == nullptr
        || text_of(*payload, "reason") != conversation_reason)
      return {};
    if (all_.size() >= conversations_max)
      return fail(errc::limit_reached, "too many conversations in one run",
                  "conversations_max");
    conversation made{run_id_};
    auto done = made.fold(event);
    if (done)
      all_.push_back(std::move(made));
    return done;
  }
  if (event.type.starts_with("conversation."))
    return fail({.code = errc::invalid_document,
                 .message = event.type + " of event "
                            + std::to_string(event.sequence)
                            + " is of a conversation that nothing opened",
                 .rule = "conversation_order"});
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
  for (const auto& each : all_ | std::views::reverse)
    if (each.state().node_id == node_id)
      return &each;
  return nullptr;
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
