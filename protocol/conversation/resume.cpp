#include <convene/protocol/conversation/resume.hpp>
#include <convene/protocol/documents/document_codec.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/members.hpp>

#include <algorithm>
#include <initializer_list>
#include <utility>

namespace convene::protocol {
namespace {

using kind = interrupt_kind;

tl::unexpected<error> no_answer(std::string message, std::string pointer,
                                std::string rule,
                                const json::value* found = nullptr) {
  return fail({.code = errc::invalid_document,
               .message = std::move(message),
               .pointer = std::move(pointer),
               .rule = std::move(rule),
               .value = found == nullptr ? "" : shorten_value(*found)});
}

template <class T>
result<resume_value>
read_as(const json::value& from, std::string_view pointer) {
  auto made = decode<T>(from, pointer);
  if (!made)
    return fail(std::move(made).error());
  return resume_value{*std::move(made)};
}

/// The object, if it has these members and no other.
result<const json::object*>
read_members(const json::value& from,
             std::initializer_list<std::string_view> names,
             const std::string& message, const std::string& pointer) {
  const auto* const object = from.if_object();
  if (object == nullptr)
    return no_answer(message, pointer, "type", &from);
  for (auto name : names)
    if (!object->contains(name))
      return no_answer(message, pointer, "required", &from);
  for (const auto& [name, value] : *object)
    if (std::ranges::find(names, std::string_view{name}) == names.end()) {
      auto at = pointer;
      append_to_pointer(at, name);
      return no_answer(message, std::move(at), "additionalProperties", &value);
    }
  return object;
}

result<void> add_answer(clarification_resume& to, const json::value& from,
                        const std::string& pointer) {
  const auto item
    = read_members(from, {"id", "answer"},
                   "an answer is written {\"id\": \"...\", \"answer\": ...}",
                   pointer);
  if (!item)
    return fail(item.error());
  const auto& given = (*item)->at("id");
  const auto* const id = given.if_string();
  if (id == nullptr || id->empty())
    return no_answer("the id of a question is a text that is not empty",
                     pointer + "/id", id == nullptr ? "type" : "minLength",
                     &given);
  const auto& answer = (*item)->at("answer");
  if (!to.answers.try_emplace(std::string{*id}, any_value{answer}).second)
    return no_answer("the question " + quote(*id) + " is answered twice",
                     pointer + "/id", "unique_answer_id");
  return {};
}

result<resume_value> read_answers(const json::value& from,
                                  const std::string& pointer) {
  const auto body
    = read_members(from, {"answers"},
                   "a clarification is answered by {\"answers\": ...} alone",
                   pointer);
  if (!body)
    return fail(body.error());
  const auto* const answers = (*body)->if_contains("answers");
  const auto at = pointer + "/answers";
  const auto* const by_id = answers->if_object();
  const auto* const list = answers->if_array();
  if (by_id == nullptr && list == nullptr)
    return no_answer("answers are an object by the questions' ids, or an array",
                     at, "type", answers);
  const auto count = by_id != nullptr ? by_id->size() : list->size();
  if (count > clarification_answers_max)
    return fail({.code = errc::limit_reached,
                 .message = "a clarification has at most "
                            + std::to_string(clarification_answers_max)
                            + " answers",
                 .pointer = at,
                 .rule = "clarification_answers_max",
                 .value = std::to_string(count)});
  clarification_resume made;
  if (by_id != nullptr)
    for (const auto& [id, answer] : *by_id) {
      if (id.empty())
        return no_answer("the id of a question is a text that is not empty",
                         at + '/', "minLength", &answer);
      made.answers.try_emplace(std::string{id}, any_value{answer});
    }
  else
    for (std::size_t i = 0; i < count; ++i)
      if (auto added = add_answer(made, (*list)[i],
                                  at + '/' + std::to_string(i));
          !added)
        return fail(std::move(added).error());
  return resume_value{std::move(made)};
}

result<resume_value> read_turn(const json::value& from,
                               const std::string& pointer) {
  const auto* const body = from.if_object();
  if (body == nullptr)
    return no_answer("a conversation is answered by an object with operation "
                     "exchange or close",
                     pointer, "type", &from);
  const auto* const operation = body->if_contains("operation");
  if (operation == nullptr)
    return no_answer("the member \"operation\" is missing: add exchange or "
                     "close",
                     pointer, "required");
  const auto named = text_of(*body, "operation");
  if (named == "exchange")
    return read_as<exchange_resume>(from, pointer);
  if (named == "close")
    return read_as<close_resume>(from, pointer);
  return no_answer(named == "start"
                     ? "a conversation is opened by its node, not from outside"
                     : "the operation is exchange or close",
                   pointer + "/operation", "enum", operation);
}

} // namespace

result<resume_value> decode_resume_value(interrupt_kind of,
                                         const json::value& from,
                                         std::string_view pointer) {
  if (is_conversation(of))
    return read_turn(from, std::string{pointer});
  if (of == kind::approval)
    return read_as<approval_resume>(from, pointer);
  if (of == kind::clarification)
    return read_answers(from, std::string{pointer});
  return resume_value{any_value{from}};
}

json::value encode_resume_value(const resume_value& from) {
  if (const auto* any = std::get_if<any_value>(&from))
    return any->held;
  if (const auto* given = std::get_if<clarification_resume>(&from)) {
    json::object answers;
    for (const auto& [id, answer] : given->answers)
      answers.emplace(id, answer.held);
    return json::object{{"answers", std::move(answers)}};
  }
  if (const auto* taken = std::get_if<exchange_resume>(&from))
    return encode(*taken);
  if (const auto* closed = std::get_if<close_resume>(&from))
    return encode(*closed);
  return encode(std::get<approval_resume>(from));
}

} // namespace convene::protocol
