#include <convene/protocol/base/ascii.hpp>
#include <convene/runtime/outside/models/dialect.hpp>

#include <array>
#include <utility>

namespace convene::host {
namespace {

constexpr dialect_facts openai_facts{.base_url = "https://api.openai.com/v1",
                                     .path = "/v1",
                                     .max_tokens_name
                                     = "max_completion_tokens"};

/// In the order of `model_dialect`.
constexpr std::array<dialect_facts, 10> all_facts{{
  openai_facts,
  {.path = "/openai/v1",
   .key_header = "api-key",
   .max_tokens_name = "max_completion_tokens"},
  {.base_url = "https://generativelanguage.googleapis.com/v1beta/openai",
   .path = "/v1beta/openai",
   .schemas = schema_subset::gemini},
  {.base_url = "https://api.deepseek.com",
   .format = response_format::json_object},
  {.base_url = "https://openrouter.ai/api/v1", .path = "/api/v1"},
  {.base_url = "http://localhost:8000/v1", .path = "/v1"},
  {.base_url = "http://localhost:8080/v1", .path = "/v1"},
  {.base_url = "http://localhost:11434/v1", .path = "/v1"},
  {.base_url = "https://api.mistral.ai/v1",
   .path = "/v1",
   .stream_options = false,
   .short_call_ids = true},
  {.provider = model_provider::anthropic,
   .base_url = "https://api.anthropic.com"},
}};
static_assert(all_facts.size() == std::size(protocol::model_dialect_words));

using known_host = std::pair<std::string_view, model_dialect>;

/// Whole names, or ends that begin with a dot.
constexpr std::array<known_host, 9> known_hosts{{
  {"api.openai.com", model_dialect::openai},
  {".openai.azure.com", model_dialect::azure},
  {".services.ai.azure.com", model_dialect::azure},
  {".cognitiveservices.azure.com", model_dialect::azure},
  {"generativelanguage.googleapis.com", model_dialect::gemini},
  {"api.deepseek.com", model_dialect::deepseek},
  {"openrouter.ai", model_dialect::openrouter},
  {"api.mistral.ai", model_dialect::mistral},
  {"api.anthropic.com", model_dialect::anthropic},
}};

} // namespace

const dialect_facts& facts_of(model_dialect whose) noexcept {
  return all_facts[static_cast<std::size_t>(whose)];
}

std::optional<model_dialect> dialect_of_host(std::string_view host) noexcept {
  if (host.ends_with('.'))
    host.remove_suffix(1);
  for (const auto& [name, whose] : known_hosts)
    if (host == name || (name.starts_with('.') && host.ends_with(name)))
      return whose;
  return std::nullopt;
}

bool refuses_max_tokens(std::string_view model) noexcept {
  if (const auto slash = model.rfind('/'); slash != model.npos)
    model.remove_prefix(slash + 1);
  const auto has_digit = [](std::string_view text) {
    return !text.empty() && protocol::is_digit(text.front());
  };
  if (model.starts_with('o'))
    return has_digit(model.substr(1));
  constexpr std::string_view gpt = "gpt-";
  if (!model.starts_with(gpt))
    return false;
  model.remove_prefix(gpt.size());
  // gpt-35-turbo is Azure's name of an old one.
  return has_digit(model)
         && (model.front() >= '5'
             || (model.front() == '1' && has_digit(model.substr(1))));
}

} // namespace convene::host
