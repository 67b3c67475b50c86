#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/runtime/outside/http/call_pace.hpp>
#include <convene/runtime/outside/models/dialect.hpp>
#include <convene/runtime/outside/participants/header_settings.hpp>
#include <convene/runtime/outside/participants/request_json.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace convene::host {

/// How a model says what it does.
enum class llm_reply : std::uint8_t {
  tools, ///< by calling tools
  json,  ///< by one JSON object
};

/// What becomes of a model's thoughts.
enum class llm_thoughts : std::uint8_t {
  log,  ///< they are recorded with the answer
  drop, ///< only the model itself gets them back, in the same turn
};

/// In US dollars per million tokens.
struct llm_price {
  double prompt = 0;
  double completion = 0;

  bool operator==(const llm_price&) const = default;
};

/// {"type": "llm", ...}; see docs/agents/llm.md.
struct llm_settings {
  model_provider provider = model_provider::openai;
  std::string base_url; ///< of the provider's client, without /chat/completions
  std::string model;
  std::string api_key_env; ///< names an environment variable; empty: no key
  std::string system;      ///< what the model is told first
  bool stream = true;
  std::int64_t max_tokens = 4096; ///< of one answer
  std::optional<double> temperature;
  std::int64_t context_tokens = 32'000; ///< of prompt and answer together
  workspace_part workspace = workspace_part::snapshot;
  /// Of MCP servers, "files/*", "files/read", or of the application, "search".
  std::vector<std::string> tools;
  std::vector<std::string>
    approve;                    ///< patterns of those that a person approves
  std::int64_t repairs = 2;     ///< invalid answers that go back to the model
  std::int64_t rounds_max = 16; ///< calls of the model in one turn
  llm_reply reply = llm_reply::tools;
  llm_thoughts thoughts = llm_thoughts::log;
  llm_price price;
  std::int64_t timeout_ms = 300'000; ///< of one call
  std::int64_t retries = 2;          ///< of a call, for transient errors
  call_limits limits; ///< shared by all participants with this base_url
  std::string anthropic_version = "2023-06-01";
  std::optional<model_dialect>
    dialect; ///< unset: as `base_url` and `model` say
  // Unset: as the dialect has it.
  std::optional<std::string> max_tokens_name; ///< "none": it is left out
  std::optional<response_format> format;
  std::optional<bool> stream_options;
  std::optional<double> top_p;
  std::string reasoning_effort;
  std::optional<bool> parallel_tool_calls;
  protocol::json::object extra_body; ///< more members of each request
  header_settings headers;           ///< besides our own, or in their place
  /// Models that are called when this one cannot be, in order.
  std::vector<llm_settings> fallback;

  bool operator==(const llm_settings&) const = default;
};

/// Whether an entry of `tools` names an executor of the application, not tools
/// of a server.
[[nodiscard]] inline bool is_function(std::string_view tool) noexcept {
  return tool.find('/') == tool.npos;
}

/// What is known of the server of these settings.
[[nodiscard]] dialect_facts facts_of(const llm_settings& what);

/// How requests of these settings look.
[[nodiscard]] request_shape shape_of(const llm_settings& what);

/// Reads the settings; `pointer` is their place, for errors. An absent
/// `base_url` becomes that of the provider's own service.
[[nodiscard]] protocol::result<llm_settings>
read_llm_settings(const protocol::json::value& from, std::string_view pointer);

} // namespace convene::host

namespace convene::protocol {

inline constexpr std::string_view llm_thoughts_words[] = {"log", "drop"};
template <>
inline constexpr std::span<const std::string_view> words_of<host::llm_thoughts>{
  llm_thoughts_words};

inline constexpr std::string_view llm_reply_words[] = {"tools", "json"};
template <>
inline constexpr std::span<const std::string_view> words_of<host::llm_reply>{
  llm_reply_words};

} // namespace convene::protocol
