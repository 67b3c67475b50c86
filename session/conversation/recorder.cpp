#include <convene/protocol/conversation/ids.hpp>
#include <convene/session/conversation/recorder.hpp>

namespace convene::session {

void conversation::recorder::record(protocol::run_event_type type,
                                    const std::string& node_id,
                                    boost::json::value payload,
                                    std::optional<std::string> causation_id) {
  if (has_failed_)
    return;
  if (!before_)
    before_ = of_.save();
  const auto& event = append(type, node_id, std::move(payload),
                             std::move(causation_id));
  if (auto done = of_.fold(event); !done)
    break_off(std::move(done).error());
}

void conversation::recorder::record(protocol::conversation_exchanged&& what,
                                    boost::json::value payload,
                                    std::size_t bytes) {
  if (has_failed_)
    return;
  const auto& event = append(protocol::run_event_type::conversation_exchanged,
                             of_.state_.node_id, std::move(payload),
                             of_.state_.turns.back().event_id);
  if (auto done = of_.fold(event, std::move(what), bytes); !done)
    break_off(std::move(done).error());
}

protocol::run_event&
conversation::recorder::append(protocol::run_event_type type,
                               const std::string& node_id,
                               boost::json::value payload,
                               std::optional<std::string> causation_id) {
  const auto& run_id = of_.state_.run_id;
  auto& event = to_.events.emplace_back();
  event.event_id = protocol::run_event_id(run_id, next_sequence_);
  event.run_id = run_id;
  event.type = to_word(type);
  event.payload.held = std::move(payload);
  event.timestamp = protocol::format_timestamp(at_);
  event.sequence = next_sequence_++;
  event.node_id = node_id;
  event.causation_id = std::move(causation_id);
  return event;
}

void conversation::recorder::break_off(protocol::error why) {
  has_failed_ = true;
  if (before_) // else nothing has changed
    of_.restore(*std::move(before_));
  why.code = protocol::errc::internal;
  why.message.insert(0, "an event of the conversation cannot be recorded: ");
  to_ = {};
  refuse({protocol::interrupt_error::internal_error, std::move(why)});
}

void conversation::recorder::answer() {
  if (!has_failed_)
    to_.answer = of_.answer_of(of_.state_.turns.back());
}

conversation::checkpoint conversation::save() {
  // Only turns and schema may be large, and the turns only become more.
  checkpoint made{.turns = state_.turns.size(), .checks = schema_};
  auto turns = std::exchange(state_.turns, {});
  auto schema = std::exchange(state_.schema, {});
  made.has_schema = schema.has_value();
  made.state = state_;
  state_.turns = std::move(turns);
  state_.schema = std::move(schema);
  return made;
}

void conversation::restore(checkpoint to) {
  auto turns = std::move(state_.turns);
  auto schema = std::move(state_.schema);
  for (; turns.size() > to.turns; turns.pop_back())
    by_message_.erase(turns.back().turn.message_id);
  state_ = std::move(to.state);
  state_.turns = std::move(turns);
  if (to.has_schema)
    state_.schema = std::move(schema);
  schema_ = std::move(to.checks);
}

} // namespace convene::session
