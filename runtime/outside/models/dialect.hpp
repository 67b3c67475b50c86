#pragma once

#include <convene/runtime/outside/models/provider.hpp>
#include <convene/runtime/outside/models/request_shape.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

// What is known of model servers; docs/agents/model-servers.md says from where.

namespace convene::host {

/// Whose server a model is on. Presets what differs between servers.
enum class model_dialect : std::uint8_t {
  openai,
  azure,
  gemini,
  deepseek,
  openrouter,
  vllm,
  llama_cpp,
  ollama,
  mistral,
  anthropic,
};

/// What a server needs unless the scenario says otherwise.
struct dialect_facts {
  model_provider provider = model_provider::openai;
  std::string_view base_url;   ///< empty: each has its own
  std::string_view path;       ///< of a base URL that has none
  std::string_view key_header; ///< empty: the wire format's own
  std::string_view max_tokens_name = "max_tokens";
  response_format format = response_format::json_schema;
  bool stream_options = true;
  schema_subset schemas = schema_subset::common;
  bool short_call_ids = false;
};

[[nodiscard]] const dialect_facts& facts_of(model_dialect whose) noexcept;

/// The dialect of a host that is known, in lower case.
[[nodiscard]] std::optional<model_dialect>
dialect_of_host(std::string_view host) noexcept;

/// Whether it is one of OpenAI's models that refuse `max_tokens`, by its name,
/// also behind a gateway: "o3-mini", "openai/gpt-5.2".
[[nodiscard]] bool refuses_max_tokens(std::string_view model) noexcept;

} // namespace convene::host

namespace convene::protocol {

inline constexpr std::string_view model_dialect_words[]
  = {"openai", "azure",     "gemini", "deepseek", "openrouter",
     "vllm",   "llama.cpp", "ollama", "mistral",  "anthropic"};
template <>
inline constexpr std::span<const std::string_view>
  words_of<host::model_dialect>{model_dialect_words};

} // namespace convene::protocol
