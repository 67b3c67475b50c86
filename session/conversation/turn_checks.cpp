#include <boost/json/serialize.hpp>
#include <convene/protocol/conversation/ids.hpp>
#include <convene/protocol/documents/document_codec.hpp>
#include <convene/session/conversation/conversation.hpp>
#include <convene/session/conversation/limits.hpp>

namespace convene::session {
namespace {

using namespace protocol;

conversation_refusal invalid(std::string rule, std::string message,
                             std::string pointer) {
  return refuse_input(interrupt_error::validation_error, std::move(rule),
                      std::move(message), std::move(pointer));
}

conversation_refusal too_large(std::string rule, std::string what,
                               std::size_t most, std::string pointer) {
  return refuse_input(interrupt_error::validation_error, std::move(rule),
                      std::move(what) + " at most " + std::to_string(most),
                      std::move(pointer), errc::limit_reached);
}

} // namespace

conversation_refusal refuse_input(interrupt_error code, std::string rule,
                                  std::string message, std::string pointer,
                                  errc kind) {
  return {code, error{.code = kind,
                      .message = std::move(message),
                      .pointer = std::move(pointer),
                      .rule = std::move(rule)}};
}

std::size_t bytes_of(const conversation_turn& turn) {
  return json::serialize(encode(turn)).size();
}

conversation::refused
conversation::check_turn(const conversation_turn& turn) const {
  // What its decoder asks for; the turn may never have been JSON.
  const auto written = encode(turn);
  if (auto read = decode<conversation_turn>(written, "/turn"); !read)
    return conversation_refusal{interrupt_error::validation_error,
                                std::move(read).error()};
  const auto next = static_cast<std::int64_t>(state_.turns.size());
  if (turn.turn_index != next)
    return invalid("turn_index",
                   "the next turn has the index " + std::to_string(next),
                   "/turn/turnIndex");
  if (turn.role == turn_role::system)
    return invalid("turn_role",
                   "turns of the system are the host's: the role "
                   "is user or agent",
                   "/turn/role");
  if (turn.agent && turn.agent->agent_sharing == agent_sharing::shared_in_group
      && turn.group_id.value_or("").empty())
    return invalid("group_id", "an agent that shares with a group says which",
                   "/turn/groupId");
  if (turn.message_id.starts_with(state_.conversation_id + ':')
      && turn.message_id != message_id(state_.conversation_id, next, turn.role))
    return invalid("message_id_reserved",
                   "an id that begins with the conversation's is written "
                     + message_id(state_.conversation_id, next, turn.role)
                     + " for this turn",
                   "/turn/messageId");
  const auto bytes = json::serialize(written).size();
  if (bytes > turn_bytes_max)
    return too_large("turn_bytes_max", "the bytes of a turn are",
                     turn_bytes_max, "/turn");
  if (state_.bytes + bytes > conversation_bytes_max)
    return too_large("conversation_bytes_max",
                     "the bytes of all turns of a conversation are",
                     conversation_bytes_max, "/turn");
  if (schema_)
    if (auto checked = schema_->check(turn.content.held, "/turn/content");
        !checked)
      return conversation_refusal{interrupt_error::validation_error,
                                  std::move(checked).error()};
  return std::nullopt;
}

conversation::refused conversation::check_count() const {
  if (state_.turns.size() <= conversation_turns_max)
    return std::nullopt;
  return too_large("conversation_turns_max",
                   "the turns between a conversation's opening and its end are",
                   conversation_turns_max, "/turn");
}

conversation::refused
conversation::check_outcome(const std::optional<any_value>& outcome) const {
  if (outcome && json::serialize(outcome->held).size() > turn_bytes_max)
    return too_large("turn_bytes_max", "the bytes of an outcome are",
                     turn_bytes_max, "/outcome");
  return std::nullopt;
}

} // namespace convene::session
