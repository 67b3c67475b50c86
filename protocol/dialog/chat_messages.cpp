#include <boost/json/array.hpp>
#include <convene/protocol/dialog/chat_messages.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/members.hpp>

#include <utility>

namespace convene::protocol {
namespace {

/// The speaker of a message with this role.
result<message_role> speaker_of(const json::value& role, chat_form form,
                                const std::string& place) {
  const auto* word = role.if_string();
  auto speaker = word ? from_word<message_role>(*word) : std::nullopt;
  if (word && *word == "developer")
    speaker = message_role::system;
  const bool fits = speaker && *speaker != message_role::agent
                    && (form == chat_form::openai
                        || *speaker != message_role::system);
  if (fits)
    return *speaker;
  return fail({.code = errc::unsupported,
               .message = "no dialog has messages of this role in a chat",
               .pointer = place + "/role",
               .rule = "role",
               .value = shorten_value(role)});
}

/// What a model says in other members than the content.
result<void> add_beside(const json::object& of, chat_text& to,
                        const std::string& place) {
  if (const auto* refusal = chat_member(of, "refusal"))
    if (auto fine = to.add_refusal(*refusal, place + "/refusal"); !fine)
      return fine;
  if (const auto& audio = object_of(of, "audio"); !audio.empty()) {
    if (const auto* said = chat_member(audio, "transcript"))
      if (auto fine = to.add_content(*said, place + "/audio/transcript"); !fine)
        return fine;
    if (auto fine = to.add_reference("audio", audio, place + "/audio"); !fine)
      return fine;
  }
  if (const auto* call = chat_member(of, "function_call"))
    if (auto fine = to.add_call(*call, place + "/function_call"); !fine)
      return fine;
  const auto* calls = chat_member(of, "tool_calls");
  if (calls == nullptr)
    return {};
  const auto at = place + "/tool_calls";
  const auto* all = calls->if_array();
  if (all == nullptr)
    return refuse_chat("the calls of tools must be an array", at, "type",
                       *calls);
  for (std::size_t i = 0; i < all->size(); ++i)
    if (auto fine = to.add_call((*all)[i], at + '/' + std::to_string(i)); !fine)
      return fine;
  return {};
}

bool is_tool_result(const json::value& part) {
  return part.is_object()
         && text_of(part.get_object(), "type").ends_with("tool_result");
}

} // namespace

// NOLINTNEXTLINE(misc-no-recursion)
result<void> chat_messages::add(const json::object& of,
                                const std::string& place) {
  if (const auto* role = of.if_contains("role")) {
    const auto word = text_of(of, "role");
    return word == "tool" || word == "function"
             ? add_result(of, "content", place)
             : add_said(of, *role, place);
  }
  for (const auto* name : {"message", "payload"}) // records of agents' programs
    if (const auto& inner = object_of(of, name);
        inner.contains("role") || !text_of(inner, "type").empty())
      return add(inner, place + '/' + name);
  const auto type = text_of(of, "type");
  if (type.ends_with("_call_output"))
    return add_result(of, "output", place);
  if (type.ends_with("_call") && !text_of(of, "name").empty())
    return add_call(of, place);
  if (type.empty() || type == "message")
    return refuse_chat("a message must be an object with a role", place,
                       "required", of);
  losses_.left_out(type);
  return {};
}

result<void> chat_messages::add_said(const json::object& of,
                                     const json::value& role,
                                     const std::string& place) {
  const auto speaker = speaker_of(role, form_, place);
  if (!speaker)
    return fail(speaker.error());
  const auto before = all_.size();
  chat_text text{losses_};
  const auto* content = of.if_contains("content");
  if (content != nullptr) {
    const auto at = place + "/content";
    const auto* parts = content->if_array();
    auto fine = form_ == chat_form::anthropic && parts
                  ? add_parts(*speaker, *parts, at)
                  : text.add_content(*content, at);
    if (!fine)
      return fine;
  }
  if (auto fine = add_beside(of, text, place); !fine)
    return fine;
  if (content == nullptr && !text.has_any())
    return refuse_chat("a message must have content", place, "required", of);
  text.leave_out_others(of, {"role", "content", "type", "tool_calls",
                             "function_call", "refusal", "audio"});
  if (text.has_any())
    take(*speaker, text);
  if (all_.size() == before)
    losses_.left_out("message without content");
  return {};
}

/// A call as an item of its own; some have the result with them.
result<void> chat_messages::add_call(const json::object& of,
                                     const std::string& place) {
  chat_text text{losses_};
  if (auto fine = text.add_call(of, place); !fine)
    return fine;
  take(message_role::assistant, text);
  return chat_member(of, "output") ? add_result(of, "output", place)
                                   : result<void>{};
}

/// `content`: the member that has it.
result<void> chat_messages::add_result(const json::object& of,
                                       std::string_view content,
                                       const std::string& place) {
  std::string_view id;
  for (const auto* name : {"tool_call_id", "call_id", "id"})
    if (id.empty())
      id = text_of(of, name);
  const auto* found = chat_member(of, content);
  chat_text text{losses_};
  if (auto fine = text.add_result(id, text_of(of, "name"),
                                  found ? *found : json::value{},
                                  place + '/' + std::string{content});
      !fine)
    return fine;
  if (of.contains("role"))
    text.leave_out_others(of,
                          {"role", "content", "type", "tool_call_id", "name"});
  take(message_role::agent, text);
  return {};
}

/// Each part as a message.
result<void> chat_messages::add_parts(message_role role,
                                      const json::array& parts,
                                      const std::string& place) {
  for (std::size_t at = 0; at < parts.size(); ++at) {
    chat_text text{losses_};
    if (auto fine = text.add_part(parts[at], place + '/' + std::to_string(at));
        !fine)
      return fine;
    if (text.has_any())
      take(is_tool_result(parts[at]) ? message_role::agent : role, text);
  }
  return {};
}

result<void> chat_messages::add_content(message_role role,
                                        const json::value& content,
                                        const std::string& place) {
  if (const auto* parts = content.if_array();
      parts && form_ == chat_form::anthropic)
    return add_parts(role, *parts, place);
  chat_text text{losses_};
  auto fine = text.add_content(content, place);
  if (fine && text.has_any())
    take(role, text);
  return fine;
}

void chat_messages::take(message_role role, chat_text& text) {
  all_.push_back(
    {.role = role, .content = text.finish(), .timestamp = timestamp_});
}

read_chat chat_messages::finish() {
  return {.messages = std::move(all_), .note = losses_.summary()};
}

} // namespace convene::protocol
