#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/runtime/outside/models/conversation.hpp>

#include <string_view>

namespace convene::host {

/// A model's answer as it is recorded, independent of the provider:
///
///     {"text", "tool_calls": [{"id", "name", "arguments", "extra"}], "finish",
///      "refusal", "usage": {"prompt_tokens", "completion_tokens"},
///      "original"}
///
/// without members at their defaults.
[[nodiscard]] protocol::json::object encode(const model_answer& what);

/// Reads it back. Fails like `decode_reply`.
[[nodiscard]] protocol::result<model_answer>
decode_model_answer(const protocol::json::value& from);

} // namespace convene::host
