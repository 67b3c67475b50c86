#pragma once

#include <boost/json/object.hpp>
#include <convene/protocol/base/error.hpp>
#include <convene/protocol/documents/dialog.hpp>

#include <span>
#include <string>
#include <vector>

namespace convene::protocol {

/// Messages in the form of a model's chat interface, to be merged into the body
/// of a request, and what they could not express, one sentence each.
struct chat {
  json::object body; ///< `messages`; for Anthropic also `system`
  std::vector<std::string> notes;
};

/// OpenAI's chat messages: an agent speaks as `assistant`, the other roles keep
/// their names.
[[nodiscard]] chat to_openai(std::span<const dialog_message> messages);

/// Anthropic's form: system messages are separate, agents speak as `assistant`,
/// and adjacent messages of one role become one message with a block of text
/// for each, since the roles must alternate. Empty messages, which that
/// interface refuses, are omitted with a note. errc::not_allowed with rule
/// `user_speaks_first` if the first message is not the user's; `opening`,
/// unless empty, is then put first.
[[nodiscard]] result<chat>
to_anthropic(std::span<const dialog_message> messages,
             const std::string& opening = {});

/// Chats as messages of a dialog, and in one line what those cannot hold as it
/// was; empty if nothing.
struct read_chat {
  std::vector<dialog_message> messages;
  std::string note; ///< has names from the chat, which may be anything
};

/// The reverse: reads what the two above write, and real chats: arrays of
/// messages, requests and answers, items of the Responses interface, and arrays
/// of those, which become one dialog. Calls of tools and their results become
/// text; images, files and audio become references without their data
/// (docs/dialogs.md). A message of OpenAI's is one message, a text of
/// Anthropic's is one. Chats have no times, so each message gets `timestamp`.
/// Errors have the place: errc::unsupported for an unknown role,
/// errc::invalid_document for another form.
[[nodiscard]] result<read_chat> from_openai(const json::value& body,
                                            const std::string& timestamp);
[[nodiscard]] result<read_chat> from_anthropic(const json::value& body,
                                               const std::string& timestamp);

} // namespace convene::protocol
