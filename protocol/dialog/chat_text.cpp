#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <convene/protocol/dialog/chat_reference.hpp>
#include <convene/protocol/dialog/chat_text.hpp>
#include <convene/protocol/dialog/messages.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/members.hpp>

#include <algorithm>
#include <utility>

namespace convene::protocol {
namespace {

bool is_empty(const json::value& what) {
  switch (what.kind()) {
    case json::kind::null:
      return true;
    case json::kind::string:
      return what.get_string().empty();
    case json::kind::array:
      return what.get_array().empty();
    case json::kind::object:
      return what.get_object().empty();
    default:
      return false;
  }
}

bool is_thought(std::string_view type) {
  return type == "thinking" || type == "redacted_thinking"
         || type == "reasoning" || type == "reasoning_text";
}

bool is_text(std::string_view type) {
  return type == "text" || type == "input_text" || type == "output_text"
         || type == "summary_text";
}

/// The text of a part: a string, or an object with one as its value.
const json::string* text_in(const json::object& part) {
  const auto* text = chat_member(part, "text");
  if (text != nullptr && text->is_object())
    text = chat_member(text->get_object(), "value");
  return text == nullptr ? nullptr : text->if_string();
}

/// "[tool call ID" or "[tool result ID", with its name behind.
std::string call_head(std::string_view what, std::string_view id,
                      std::string_view name) {
  auto head = '[' + std::string{what};
  if (!id.empty())
    head += ' ' + one_word(id);
  if (!name.empty())
    head += ": " + one_word(name);
  return head;
}

} // namespace

tl::unexpected<error> refuse_chat(std::string message, std::string place,
                                  std::string rule, const json::value& found) {
  return fail({.code = errc::invalid_document,
               .message = std::move(message),
               .pointer = std::move(place),
               .rule = std::move(rule),
               .value = shorten_value(found)});
}

const json::value* chat_member(const json::object& of, std::string_view name) {
  const auto* found = of.if_contains(name);
  return found == nullptr || found->is_null() ? nullptr : found;
}

result<void> chat_text::add(std::string_view text, const std::string& place) {
  if (text_.size() + text.size() > message_bytes_max)
    return fail({.code = errc::limit_reached,
                 .message = "the message is too long",
                 .pointer = place,
                 .rule = "message_bytes_max",
                 .value = std::to_string(text_.size() + text.size())});
  if (!text_.empty())
    text_ += '\n';
  text_ += text;
  has_any_ = true;
  return {};
}

// NOLINTNEXTLINE(misc-no-recursion)
result<void> chat_text::add_content(const json::value& content,
                                    const std::string& place) {
  if (content.is_null())
    return {};
  if (const auto* text = content.if_string())
    return add(*text, place);
  const auto* parts = content.if_array();
  if (parts == nullptr)
    return refuse_chat("the content must be text or an array of parts", place,
                       "type", content);
  for (std::size_t at = 0; at < parts->size(); ++at)
    if (auto fine = add_part((*parts)[at], place + '/' + std::to_string(at));
        !fine)
      return fine;
  return {};
}

// NOLINTNEXTLINE(misc-no-recursion)
result<void> chat_text::add_part(const json::value& part,
                                 const std::string& place) {
  if (const auto* text = part.if_string())
    return add(*text, place);
  const auto* of = part.if_object();
  const auto* word = of == nullptr ? nullptr : chat_member(*of, "type");
  if (word == nullptr || !word->is_string())
    return refuse_chat("a part of the content must be an object with a type",
                       place, "type", part);
  const std::string_view type = word->get_string();
  if (is_text(type)) {
    const auto* text = text_in(*of);
    if (text == nullptr)
      return refuse_chat("a part of text must have its text", place, "required",
                         part);
    leave_out_others(*of, {"type", "text"});
    return add(*text, place);
  }
  if (type == "refusal" && of->contains("refusal"))
    return add_refusal(of->at("refusal"), place + "/refusal");
  if (type.ends_with("tool_use"))
    return add_call(part, place);
  if (type.ends_with("tool_result")) {
    const auto* content = of->if_contains("content");
    return add_result(text_of(*of, "tool_use_id"), {},
                      content == nullptr ? json::value{} : *content,
                      place + "/content");
  }
  if (is_thought(type)) {
    losses_.left_out(type);
    return {};
  }
  return add_reference(type, *of, place);
}

result<void> chat_text::add_call(const json::value& call,
                                 const std::string& place) {
  const auto* of = call.if_object();
  if (of == nullptr)
    return refuse_chat("a call of a tool must be an object", place, "type",
                       call);
  const auto* inner = of;
  for (const auto* name : {"function", "custom"})
    if (const auto* found = chat_member(*of, name);
        found != nullptr && found->is_object())
      inner = &found->get_object();
  const auto name = text_of(*inner, "name");
  if (name.empty())
    return refuse_chat("a call of a tool must have a name", place, "required",
                       call);
  auto id = text_of(*of, "call_id");
  if (id.empty())
    id = text_of(*of, "id");
  auto line = call_head("tool call", id, name);
  for (const auto* member : {"arguments", "input"})
    if (const auto* given = chat_member(*inner, member)) {
      line += ' ';
      if (const auto* text = given->if_string())
        line += *text;
      else
        line += json::serialize(*given);
    }
  losses_.kept_as_text("tool call");
  leave_out_others(*of, {"type", "id", "call_id", "function", "custom", "name",
                         "arguments", "input", "output"});
  return add(line + ']', place);
}

// NOLINTNEXTLINE(misc-no-recursion)
result<void> chat_text::add_result(std::string_view id, std::string_view name,
                                   const json::value& content,
                                   const std::string& place) {
  losses_.kept_as_text("tool result");
  if (auto fine = add(call_head("tool result", id, name) + ']', place); !fine)
    return fine;
  if (const auto* of = content.if_object(); of && !text_of(*of, "type").empty())
    return add_part(content, place);
  if (content.is_null() || content.is_string() || content.is_array())
    return add_content(content, place);
  return add(json::serialize(content), place);
}

// NOLINTNEXTLINE(misc-no-recursion)
result<void> chat_text::add_refusal(const json::value& refusal,
                                    const std::string& place) {
  losses_.kept_as_text("refusal");
  return add_content(refusal, place);
}

result<void> chat_text::add_reference(std::string_view type,
                                      const json::object& part,
                                      const std::string& place) {
  const auto made = chat_reference(type, part);
  losses_.kept_as_text(made.kind);
  if (made.has_data)
    losses_.left_out("data of " + made.kind);
  return add(made.text, place);
}

void chat_text::leave_out_others(const json::object& of,
                                 std::initializer_list<std::string_view> read) {
  for (const auto& [name, value] : of)
    if (!is_empty(value)
        && std::ranges::find(read, std::string_view{name}) == read.end())
      losses_.left_out(name);
}

} // namespace convene::protocol
