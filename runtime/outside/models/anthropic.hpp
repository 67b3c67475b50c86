#pragma once

#include <convene/runtime/outside/models/answer_stream.hpp>

#include <memory>

// Anthropic's messages.

namespace convene::host {

/// The body of `POST .../v1/messages`.
[[nodiscard]] protocol::json::object anthropic_body(const model_prompt& what);

/// Reads the answer to a prompt. If the model thinks, the answer's `original`
/// has the blocks of its content; those of type tool_use stand for the calls.
[[nodiscard]] std::unique_ptr<answer_stream> anthropic_stream(when_text then);

} // namespace convene::host
