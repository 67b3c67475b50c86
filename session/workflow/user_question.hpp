#pragma once

#include <convene/protocol/workflow/node_config.hpp>

#include <string>

namespace convene::session {

/// The id of the one question that a dispatch asks without a conversation.
inline constexpr const char* user_question_id = "answer";

/// That question.
[[nodiscard]] inline protocol::clarification_config
clarification_of(std::string prompt) {
  protocol::clarification_config made;
  made.questions.push_back(
    {.id = user_question_id, .question = std::move(prompt)});
  return made;
}

} // namespace convene::session
