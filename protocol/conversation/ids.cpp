#include <convene/protocol/base/sha256.hpp>
#include <convene/protocol/base/utf8.hpp>
#include <convene/protocol/conversation/ids.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/members.hpp>

#include <algorithm>

namespace convene::protocol {
namespace {

tl::unexpected<error> no_conversation_id(std::string message) {
  return fail(errc::invalid_document, std::move(message), "conversation_id");
}

bool is_run_text(std::string_view text) {
  return !text.empty() && count_characters(text) <= run_text_max
         && valid_utf8(text);
}

} // namespace

result<void> check_conversation_parts(std::string_view run_id,
                                      std::string_view node_id,
                                      std::int64_t number) {
  if (!is_run_text(run_id) || run_id.find_first_of(":/") != run_id.npos)
    return no_conversation_id("the run's id " + quote(run_id)
                              + " is not 1 to 128 characters without : and /");
  if (!is_run_text(node_id))
    return no_conversation_id("the node's id " + quote(node_id)
                              + " is not 1 to 128 characters");
  if (number < 0)
    return no_conversation_id("an attempt is 0 or more");
  return {};
}

result<std::string> conversation_id(std::string_view run_id,
                                    std::string_view node_id,
                                    std::int64_t number) {
  if (auto wrong = check_conversation_parts(run_id, node_id, number); !wrong)
    return fail(std::move(wrong).error());
  auto made = std::string{run_id}.append(":").append(node_id).append(":")
              + std::to_string(number);
  if (made.size() > conversation_id_max)
    return no_conversation_id("the ids of run and node are too long together: "
                              "a conversation's id has at most "
                              + std::to_string(conversation_id_max) + " bytes");
  return made;
}

std::string message_id(std::string_view conversation_id,
                       std::int64_t turn_index, turn_role role) {
  return std::string{conversation_id}
    .append(":")
    .append(std::to_string(turn_index))
    .append(":")
    .append(to_word(role));
}

std::string run_event_id(std::string_view run_id, std::int64_t sequence) {
  return to_string(
    hashed_uuid(std::string{run_id}.append(":") + std::to_string(sequence)));
}

} // namespace convene::protocol
