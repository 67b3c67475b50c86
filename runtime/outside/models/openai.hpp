#pragma once

#include <convene/runtime/outside/models/answer_stream.hpp>

#include <memory>

// OpenAI's chat completions, as llama.cpp, vLLM, Ollama and others speak them.

namespace convene::host {

/// The body of `POST .../chat/completions`.
[[nodiscard]] protocol::json::object openai_body(const model_prompt& what);

/// Reads the answer to a prompt.
[[nodiscard]] std::unique_ptr<answer_stream> openai_stream(when_text then);

} // namespace convene::host
