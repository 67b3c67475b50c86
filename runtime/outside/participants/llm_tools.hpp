#pragma once

#include <convene/actors/behaviours/turn_request.hpp>
#include <convene/protocol/base/error.hpp>
#include <convene/runtime/outside/models/conversation.hpp>

#include <string>
#include <string_view>
#include <vector>

// What a model can do in a session, as tools or as members of one JSON object;
// for sources in this folder only. Pure.

namespace convene::host {

/// What came of a model's call of one of our own tools.
struct tool_effect {
  std::string text;  ///< for the model
  bool valid = true; ///< false: `text` says why not, nothing was done
  bool ends = false; ///< the turn's reply is complete with this
};

/// The tools for this kind of request.
[[nodiscard]] std::vector<model_tool>
session_tools(const actors::turn_request& asked);

/// The arguments of a call as a JSON object; else what is wrong with them, for
/// the model, with what it wrote: the call goes back without it.
[[nodiscard]] tl::expected<protocol::json::object, std::string>
read_arguments(const tool_call& what);

/// Carries out a call of one of them: adds to the reply that is being made.
[[nodiscard]] tool_effect call_session_tool(const tool_call& what,
                                            const actors::turn_request& asked,
                                            protocol::reply& made);

/// The schema of a reply that is one JSON object.
[[nodiscard]] protocol::json::object
reply_schema(const actors::turn_request& asked);

/// Reads such a reply: the one JSON object of the text, also in a fenced block
/// of Markdown or between other words. The error's message is for the model.
[[nodiscard]] protocol::result<protocol::reply>
read_json_reply(std::string_view text, const actors::turn_request& asked);

} // namespace convene::host
