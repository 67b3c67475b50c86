#pragma once

#include <convene/protocol/documents/action.hpp>
#include <convene/runtime/outside/models/conversation.hpp>
#include <convene/runtime/outside/participants/tool_box.hpp>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

// Tools from outside of the session as a model sees them; for sources in this
// folder only.

namespace convene::host {

/// An executor as a tool.
[[nodiscard]] tool tool_of(std::shared_ptr<const actors::executor> by);

/// Whether a tool is meant by an entry like "files/*" or "files/read_file".
[[nodiscard]] bool matches_tool(std::string_view wanted,
                                std::string_view name) noexcept;

/// A name that providers allow and no other tool has.
[[nodiscard]] std::string
model_tool_name(std::string_view name, const std::vector<model_tool>& others);

/// What a call of a tool brought, as text for the model.
[[nodiscard]] std::string outside_text(const tool& which,
                                       const protocol::action_result& got);

/// Whether it failed, or its tool says so.
[[nodiscard]] bool is_outside_error(const tool& which,
                                    const protocol::action_result& got);

} // namespace convene::host
