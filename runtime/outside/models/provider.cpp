#include <convene/runtime/outside/models/anthropic.hpp>
#include <convene/runtime/outside/models/openai.hpp>
#include <convene/runtime/outside/models/provider.hpp>
#include <convene/runtime/outside/models/wire.hpp>

namespace convene::host {

model_endpoint endpoint_of(model_provider whose, std::string_view base_url,
                           std::string_view key,
                           std::string_view anthropic_version) {
  while (base_url.ends_with('/'))
    base_url.remove_suffix(1);
  model_endpoint to{.url = std::string{base_url},
                    .headers = {{"Content-Type", "application/json"}}};
  if (whose == model_provider::openai) {
    to.url += "/chat/completions";
    if (!key.empty())
      to.headers.emplace_back("Authorization", "Bearer " + std::string{key});
    return to;
  }
  to.url += base_url.ends_with("/v1") ? "/messages" : "/v1/messages";
  to.headers.emplace_back("anthropic-version", anthropic_version);
  if (!key.empty())
    to.headers.emplace_back("x-api-key", key);
  return to;
}

protocol::json::object body_for(model_provider whose,
                                const model_prompt& what) {
  return whose == model_provider::openai ? openai_body(what)
                                         : anthropic_body(what);
}

std::unique_ptr<answer_stream> stream_of(model_provider whose, when_text then) {
  return whose == model_provider::openai ? openai_stream(std::move(then))
                                         : anthropic_stream(std::move(then));
}

answer_outcome read_answer(model_provider whose, std::string_view body) {
  return whose == model_provider::openai ? read_openai_answer(body)
                                         : read_anthropic_answer(body);
}

std::string error_words(std::string_view body) {
  const auto object = read_object(body);
  const auto error = object ? reported_error(*object) : std::nullopt;
  return error ? error->message : std::string{};
}

} // namespace convene::host
