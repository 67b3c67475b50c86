#include <convene/protocol/conversation/ids.hpp>
#include <convene/protocol/conversation/sound_turn.hpp>
#include <convene/protocol/documents/document_codec.hpp>
#include <convene/protocol/json/json_bytes.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/session/conversation/checks.hpp>
#include <convene/session/conversation/conversation.hpp>

#include <cmath>

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

/// Looks for what no reader would take, `depth` levels deep; `at` is where.
std::optional<conversation_refusal>
find_unreadable(const json::value& what, // NOLINT(misc-no-recursion)
                std::size_t depth, std::string& at) {
  const auto is_text = [](std::string_view text) { return valid_utf8(text); };
  if (const auto* text = what.if_string(); text != nullptr && !is_text(*text))
    return invalid("utf8", "a text is not UTF-8", at);
  if (const auto* number = what.if_double();
      number != nullptr && !std::isfinite(*number))
    return invalid("number_range", "a number is not finite", at);
  const auto* const object = what.if_object();
  const auto* const array = what.if_array();
  if ((object != nullptr || array != nullptr) && depth == 0)
    return too_large("turn_depth_max", "the levels of nesting are",
                     turn_depth_max, at);
  const auto end = at.size();
  std::optional<conversation_refusal> found;
  if (object != nullptr)
    for (const auto& [name, member] : *object) {
      if (!is_text(name))
        return invalid("utf8", "the name of a member is not UTF-8", at);
      append_to_pointer(at, name);
      if (found = find_unreadable(member, depth - 1, at); found)
        return found;
      at.resize(end);
    }
  if (array != nullptr)
    for (std::size_t i = 0; i < array->size(); ++i) {
      at.append("/").append(std::to_string(i));
      if (found = find_unreadable((*array)[i], depth - 1, at); found)
        return found;
      at.resize(end);
    }
  return found;
}

bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == text.npos;
}

/// Whether a host makes ids like this one, in whichever run:
/// `run:node:number:index:role`.
bool is_of_a_host(std::string_view id) {
  const auto take_last = [&id] {
    const auto colon = id.rfind(':');
    const auto part = colon == id.npos ? id : id.substr(colon + 1);
    id = id.substr(0, colon == id.npos ? 0 : colon);
    return part;
  };
  return from_word<turn_role>(take_last()) && is_number(take_last())
         && is_number(take_last()) && id.find(':') != id.npos;
}

/// What holds for a turn beyond what its type says.
std::optional<conversation_refusal> check_place(const conversation_turn& turn,
                                                const turn_place& at) {
  const auto pointer = [&at](const char* member) {
    return std::string{at.pointer} + member;
  };
  if (turn.turn_index != at.index)
    return invalid("turn_index",
                   "this turn has the index " + std::to_string(at.index),
                   pointer("/turnIndex"));
  if (turn.agent && turn.agent->agent_sharing == agent_sharing::shared_in_group
      && turn.group_id.value_or("").empty())
    return invalid("group_id", "an agent that shares with a group says which",
                   pointer("/groupId"));
  const auto its_own = [&] {
    return message_id(at.conversation_id, at.index, turn.role);
  };
  if (takes_reserved_id(turn, at.conversation_id, at.run_id)
      || (is_of_a_host(turn.message_id) && turn.message_id != its_own()))
    return invalid("message_id_reserved",
                   "an id that begins with a run's is the host's: write "
                     + its_own() + " for this turn, or an id of your own",
                   pointer("/messageId"));
  return std::nullopt;
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

std::optional<conversation_refusal>
check_number(std::int64_t next, std::int64_t last, std::int64_t most) {
  if (next > last && next <= most)
    return std::nullopt;
  return refuse_input(interrupt_error::internal_error, "sequence",
                      "the next event of the run has a number after "
                        + std::to_string(last) + ", at most "
                        + std::to_string(most),
                      {}, errc::internal);
}

std::size_t bytes_of(const conversation_turn& turn) {
  return json_bytes(encode(turn));
}

std::optional<conversation_refusal> check_readable(const json::value& what,
                                                   std::string pointer) {
  return find_unreadable(what, turn_depth_max, pointer);
}

bool takes_reserved_id(const conversation_turn& turn,
                       std::string_view conversation_id,
                       std::string_view run_id) {
  const std::string_view id = turn.message_id;
  const auto begins_with = [id](std::string_view name) {
    return !name.empty() && id.starts_with(name)
           && id.substr(name.size()).starts_with(':');
  };
  const auto its_run = conversation_id.substr(0, conversation_id.find(':'));
  return (begins_with(run_id) || begins_with(its_run)
          || begins_with(conversation_id))
         && id != message_id(conversation_id, turn.turn_index, turn.role);
}

std::optional<conversation_refusal> check_turn_at(const conversation_turn& turn,
                                                  const turn_place& at) {
  if (is_sound(turn, turn_bytes_max))
    return check_place(turn, at);
  const std::string pointer{at.pointer};
  const auto written = encode(turn);
  if (auto wrong = check_readable(written, pointer))
    return wrong;
  // As the log will have it; the turn may never have been JSON.
  const auto read = decode<conversation_turn>(written, pointer);
  if (!read)
    return conversation_refusal{interrupt_error::validation_error,
                                read.error()};
  if (auto wrong = check_place(*read, at))
    return wrong;
  if (json_bytes(written) > turn_bytes_max)
    return too_large("turn_bytes_max", "the bytes of a turn are",
                     turn_bytes_max, pointer);
  return std::nullopt;
}

conversation::refused conversation::check_turn(const conversation_turn& turn,
                                               bool is_recorded) const {
  if (auto wrong = check_turn_at(
        turn, {.run_id = state_.run_id,
               .conversation_id = state_.conversation_id,
               .index = static_cast<std::int64_t>(state_.turns.size()),
               .pointer = "/turn"}))
    return wrong;
  if (turn.role == turn_role::system)
    return invalid("turn_role",
                   "turns of the system are the host's: the role "
                   "is user or agent",
                   "/turn/role");
  if (schema_ && !is_recorded)
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

conversation::refused conversation::check_room(std::size_t bytes,
                                               std::size_t room) const {
  if (state_.bytes + bytes > conversation_bytes_max)
    return too_large("conversation_bytes_max",
                     "the bytes of a conversation's schema, turns and outcome "
                     "are",
                     conversation_bytes_max, {});
  if (bytes > room)
    return too_large("run_conversations_bytes_max",
                     "the bytes of all conversations of a run are",
                     run_conversations_bytes_max, {});
  return std::nullopt;
}

conversation::refused
conversation::check_outcome(const std::optional<any_value>& outcome) const {
  if (!outcome)
    return std::nullopt;
  if (auto wrong = check_readable(outcome->held, "/outcome"))
    return wrong;
  if (json_bytes(outcome->held) > turn_bytes_max)
    return too_large("turn_bytes_max", "the bytes of an outcome are",
                     turn_bytes_max, "/outcome");
  return std::nullopt;
}

} // namespace convene::session
