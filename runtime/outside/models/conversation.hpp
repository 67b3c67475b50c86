#pragma once

#include <convene/protocol/documents/action.hpp>
#include <convene/runtime/outside/models/request_shape.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// A conversation with a language model, independent of its provider.

namespace convene::host {

/// A function that a model may call.
struct model_tool {
  std::string name; ///< letters, digits, _ and -, at most 64
  std::string description;
  protocol::json::object parameters; ///< JSON Schema of an object

  bool operator==(const model_tool&) const = default;
};

/// A model's call of a tool.
struct tool_call {
  std::string id; ///< the model's, for its result
  std::string name;
  std::string arguments; ///< JSON text as the model wrote it; may be wrong
  /// Members of the call that its provider needs back, such as the signature of
  /// a thought; those of its function are in "function".
  protocol::json::object extra = {};

  bool operator==(const tool_call&) const = default;
};

enum class speaker : std::uint8_t {
  user,
  model,
  tool, ///< the result of a call
};

struct model_message {
  speaker by = speaker::user;
  std::string text;
  std::vector<tool_call> calls; ///< by the model
  std::string call_id;          ///< by a tool: whose result this is
  bool failed = false;          ///< by a tool
  /// By the model: the `original` of its answer, for the endpoint that gave it.
  protocol::json::object original = {};

  bool operator==(const model_message&) const = default;
};

/// All that a model is told.
struct model_prompt {
  std::string model;
  std::string system;
  std::vector<model_message> messages;
  std::vector<model_tool> tools;
  /// The answer is to be one JSON object of this schema; empty: any text.
  protocol::json::object reply_schema;
  std::int64_t max_tokens = 4096;
  std::optional<double> temperature; ///< unset: the provider's default
  bool stream = true;
  request_shape shape = {}; ///< in what servers differ
};

/// Why a model stopped.
enum class finish_reason : std::uint8_t {
  stop,
  length, ///< its answer or its context was too long
  tool_calls,
  content_filter, ///< the provider withheld the answer
  refusal,        ///< the model did not want to
};

/// A model's answer. Money is not known here: `usage` has no cost.
struct model_answer {
  std::string text; ///< without the model's thoughts
  std::vector<tool_call> calls;
  finish_reason finish = finish_reason::stop;
  std::string refusal; ///< in the model's words; may be empty
  protocol::usage usage;
  /// Members of the provider's message that `text` and `calls` do not have as
  /// they came: the model's thoughts, as text, parts or signatures. If it
  /// called tools, they go back under the same names.
  protocol::json::object original = {};

  bool operator==(const model_answer&) const = default;
};

/// The most calls in one answer.
inline constexpr std::size_t tool_calls_max = 128;

/// Receives text as it arrives. Must not block.
using when_text = std::function<void(std::string_view)>;

} // namespace convene::host

namespace convene::protocol {

inline constexpr std::string_view finish_reason_words[]
  = {"stop", "length", "tool_calls", "content_filter", "refusal"};
template <>
inline constexpr std::span<const std::string_view>
  words_of<host::finish_reason>{finish_reason_words};

} // namespace convene::protocol
