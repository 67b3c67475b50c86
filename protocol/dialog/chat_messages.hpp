#pragma once

#include <boost/json/object.hpp>
#include <convene/protocol/dialog/chat.hpp>
#include <convene/protocol/dialog/chat_losses.hpp>
#include <convene/protocol/dialog/chat_text.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace convene::protocol {

enum class chat_form : std::uint8_t {
  openai,   ///< a message of the chat is one of the dialog
  anthropic ///< each part of its content is one
};

/// Reads the messages of chats into those of a dialog. Calls of tools are said
/// by the assistant, their results by an agent. The first fault ends the
/// reading; `place` is the JSON pointer to what is read.
class chat_messages {
public:
  chat_messages(chat_form form, const std::string& timestamp)
    : form_(form), timestamp_(timestamp) {}

  /// A message with a role, another item of OpenAI's Responses, or a record
  /// around one.
  [[nodiscard]] result<void> add(const json::object& of,
                                 const std::string& place);

  /// Content without a message around it.
  [[nodiscard]] result<void> add_content(message_role role,
                                         const json::value& content,
                                         const std::string& place);

  [[nodiscard]] chat_losses& losses() noexcept {
    return losses_;
  }

  [[nodiscard]] read_chat finish();

private:
  [[nodiscard]] result<void> add_said(const json::object& of,
                                      const json::value& role,
                                      const std::string& place);
  [[nodiscard]] result<void> add_call(const json::object& of,
                                      const std::string& place);
  [[nodiscard]] result<void> add_result(const json::object& of,
                                        std::string_view content,
                                        const std::string& place);
  [[nodiscard]] result<void> add_parts(message_role role,
                                       const json::array& parts,
                                       const std::string& place);
  void take(message_role role, chat_text& text);

  chat_form form_;
  const std::string& timestamp_;
  chat_losses losses_;
  std::vector<dialog_message> all_;
};

} // namespace convene::protocol
