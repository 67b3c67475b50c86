#pragma once

#include <convene/protocol/conversation/interrupt.hpp>

#include <map>
#include <variant>

namespace convene::protocol {

/// `clarification_answers_max`: more answers in one clarification are refused.
inline constexpr std::size_t clarification_answers_max = 256;

/// The body that answers an interrupt.
struct resume_body {
  any_value resume_value;

  bool operator==(const resume_body&) const = default;
};

/// Answers an approval.
struct approval_resume {
  std::string action;  ///< not empty; which there are, the gate says
  json::object others; ///< further members

  bool operator==(const approval_resume&) const = default;
};

/// Answers a clarification: what was said, by the question's id.
struct clarification_resume {
  std::map<std::string, any_value> answers;

  bool operator==(const clarification_resume&) const = default;
};

/// Takes a turn of a conversation.
struct exchange_resume {
  conversation_turn turn;

  bool operator==(const exchange_resume&) const = default;
};

/// Ends a conversation.
struct close_resume {
  std::optional<conversation_turn> turn; ///< absent: the host makes the last
  std::optional<any_value> outcome;

  bool operator==(const close_resume&) const = default;
};

/// What answers an interrupt: of external events, custom requests and low
/// confidence it is any value.
using resume_value = std::variant<approval_resume, clarification_resume,
                                  exchange_resume, close_resume, any_value>;

/// Reads what answers an interrupt of this kind. Answers of a clarification are
/// an object by the question's id, or an array of {id, answer}. Besides the
/// schema's, rules `unique_answer_id` and `clarification_answers_max`.
[[nodiscard]] result<resume_value>
decode_resume_value(interrupt_kind kind, const json::value& from,
                    std::string_view pointer = "");

/// As JSON, answers of a clarification as an object.
[[nodiscard]] json::value encode_resume_value(const resume_value& from);

} // namespace convene::protocol
