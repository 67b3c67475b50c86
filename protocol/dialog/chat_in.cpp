#include <boost/json/array.hpp>
#include <convene/protocol/dialog/chat.hpp>
#include <convene/protocol/json/json_text.hpp>

#include <string_view>
#include <utility>

namespace convene::protocol {
namespace {

/// Reads one chat into dialog messages; the first fault stops it.
class chat_reader {
public:
  explicit chat_reader(const std::string& timestamp) : timestamp_(timestamp) {}

  result<void> add(message_role role, const json::value& content,
                   const std::string& pointer) {
    if (const auto* text = content.if_string()) {
      take(role, *text);
      return {};
    }
    const auto* blocks = content.if_array();
    if (blocks == nullptr)
      return wrong("the content must be text or an array of blocks of text",
                   pointer, "type", content);
    for (std::size_t at = 0; at < blocks->size(); ++at) {
      const auto place = pointer + '/' + std::to_string(at);
      const auto& block = (*blocks)[at];
      const auto* type = member(block, "type");
      if (type == nullptr || !type->is_string())
        return wrong("a block of content must be an object with a type", place,
                     "type", block);
      if (type->get_string() != "text")
        return fail({.code = errc::unsupported,
                     .message = "a dialog holds text only",
                     .pointer = place + "/type",
                     .rule = "text_only",
                     .value = shorten_value(*type)});
      const auto* text = member(block, "text");
      if (text == nullptr || !text->is_string())
        return wrong("a block of text must have its text", place, "required",
                     block);
      take(role, text->get_string());
    }
    return {};
  }

  /// `knows_system`: whether messages may have the role of the system.
  result<void> add_all(const json::value& body, bool knows_system) {
    const auto* messages = body.is_array() ? &body : member(body, "messages");
    const std::string pointer = body.is_array() ? "" : "/messages";
    if (messages == nullptr || !messages->is_array())
      return wrong("a chat must be an array of messages, or an object with one "
                   "as its member messages",
                   "", "type", body);
    const auto& all = messages->get_array();
    for (std::size_t at = 0; at < all.size(); ++at) {
      const auto place = pointer + '/' + std::to_string(at);
      if (auto fine = add_one(all[at], place, knows_system); !fine)
        return fine;
    }
    return {};
  }

  static const json::value* member(const json::value& of,
                                   std::string_view name) {
    return of.is_object() ? of.get_object().if_contains(name) : nullptr;
  }

  std::vector<dialog_message> finish() {
    return std::move(all_);
  }

private:
  static tl::unexpected<error> wrong(std::string message, std::string pointer,
                                     std::string rule,
                                     const json::value& value) {
    return fail({.code = errc::invalid_document,
                 .message = std::move(message),
                 .pointer = std::move(pointer),
                 .rule = std::move(rule),
                 .value = shorten_value(value)});
  }

  void take(message_role role, std::string_view text) {
    all_.push_back(
      {.role = role, .content = std::string{text}, .timestamp = timestamp_});
  }

  result<void> add_one(const json::value& message, const std::string& place,
                       bool knows_system) {
    const auto* role = member(message, "role");
    if (role == nullptr || !role->is_string())
      return wrong("a message must be an object with a role", place, "role",
                   message);
    if (const auto* calls = member(message, "tool_calls");
        calls != nullptr && !calls->is_null())
      return fail({.code = errc::unsupported,
                   .message = "a dialog holds text only, no calls of tools",
                   .pointer = place + "/tool_calls",
                   .rule = "text_only"});
    const std::string_view word = role->get_string();
    auto becomes = from_word<message_role>(word);
    if (word == "developer")
      becomes = message_role::system;
    const bool fits = becomes && *becomes != message_role::agent
                      && (knows_system || *becomes != message_role::system);
    if (!fits)
      return fail({.code = errc::unsupported,
                   .message = "no dialog has messages of this role in a chat",
                   .pointer = place + "/role",
                   .rule = "role",
                   .value = shorten_value(*role)});
    const auto* content = member(message, "content");
    if (content == nullptr)
      return wrong("a message must have content", place, "required", message);
    return add(*becomes, *content, place + "/content");
  }

  const std::string& timestamp_;
  std::vector<dialog_message> all_;
};

} // namespace

result<std::vector<dialog_message>> from_openai(const json::value& body,
                                                const std::string& timestamp) {
  chat_reader reader{timestamp};
  if (auto fine = reader.add_all(body, true); !fine)
    return fail(std::move(fine.error()));
  return reader.finish();
}

result<std::vector<dialog_message>>
from_anthropic(const json::value& body, const std::string& timestamp) {
  chat_reader reader{timestamp};
  if (const auto* system = chat_reader::member(body, "system"))
    if (auto fine = reader.add(message_role::system, *system, "/system"); !fine)
      return fail(std::move(fine.error()));
  if (auto fine = reader.add_all(body, false); !fine)
    return fail(std::move(fine.error()));
  return reader.finish();
}

} // namespace convene::protocol
