#pragma once

#include <boost/json/object.hpp>
#include <convene/protocol/base/error.hpp>
#include <convene/protocol/documents/dialog.hpp>

#include <span>
#include <string>
#include <vector>

namespace convene::protocol {

/// Messages in the form that a model's chat interface takes, to be merged into
/// the body of a request, and what they could not say, a sentence each.
struct chat {
  json::object body; ///< `messages`; for Anthropic also `system`
  std::vector<std::string> notes;
};

/// OpenAI's chat messages: an agent speaks as `assistant`, the other roles keep
/// their names.
[[nodiscard]] chat to_openai(std::span<const dialog_message> messages);

/// Anthropic's form: system messages stand apart, agents speak as `assistant`,
/// and neighbours of one role become one message with a block of text for
/// each, since the roles must alternate. Empty messages, which that interface
/// refuses, are left out with a note. errc::not_allowed with rule
/// `user_speaks_first` where the first message is not the user's;
/// `opening`, unless it is empty, is put in front then.
[[nodiscard]] result<chat>
to_anthropic(std::span<const dialog_message> messages,
             const std::string& opening = {});

/// The way back: what the two above write, as an object or as its array of
/// messages alone, and what the interfaces themselves accept of text: content
/// as a string or as blocks of text, each of which becomes a message. No chat
/// has times, so each message gets `timestamp`. Anything else than text (calls
/// of tools, pictures) is errc::unsupported, with its place.
[[nodiscard]] result<std::vector<dialog_message>>
from_openai(const json::value& body, const std::string& timestamp);
[[nodiscard]] result<std::vector<dialog_message>>
from_anthropic(const json::value& body, const std::string& timestamp);

} // namespace convene::protocol
