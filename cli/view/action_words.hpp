#pragma once

#include <convene/protocol/documents/common.hpp>

#include <string>
#include <utility>
#include <vector>

// What somebody does outside of their session, in words. Of payloads of the
// events action_started and action_ended.

namespace convene::cli {

/// Its place, what it is, which attempt: "2.1 mcp files/read_file".
[[nodiscard]] std::string action_words(const protocol::json::object& payload);

/// "model gpt-5.2", "asks ana to approve mcp files/write_file".
[[nodiscard]] std::string action_name(const protocol::json::object& payload);

/// What came of `action`: how long it took, tokens and cost, why it failed, or
/// what a person said: the first line of it, or all.
[[nodiscard]] std::string result_words(const protocol::json::object& payload,
                                       const std::string& action,
                                       bool whole_errors);

/// "340 tokens, $0.0012"; empty if nothing was used.
[[nodiscard]] std::string usage_words(const protocol::json::object& usage);

/// The arguments of an action that begins, as JSON; empty if it has none.
[[nodiscard]] std::string arguments_of(const protocol::json::object& payload);

/// Names of tools, and the arguments as the model wrote them.
using model_calls = std::vector<std::pair<std::string, std::string>>;

/// What a model calls in its answer, when its action has ended.
[[nodiscard]] model_calls calls_of(const protocol::json::object& payload);

/// The first line of what was said, with a sign that there is more.
[[nodiscard]] std::string first_line(std::string words);

} // namespace convene::cli
