#pragma once

#include <convene/runtime/outside/models/answer_stream.hpp>

#include <memory>

// Anthropic's messages.

namespace convene::host {

/// The body of `POST .../v1/messages`.
[[nodiscard]] protocol::json::object anthropic_body(const model_prompt& what);

/// Reads the answer to a prompt with `stream`. What the model thinks is not
/// text.
[[nodiscard]] std::unique_ptr<answer_stream> anthropic_stream(when_text then);

/// Reads the answer to a prompt without it.
[[nodiscard]] answer_outcome read_anthropic_answer(std::string_view body);

} // namespace convene::host
