#include <convene/protocol/codec/object_reader.hpp>
#include <convene/protocol/documents/describe.hpp>
#include <convene/runtime/outside/http/url.hpp>
#include <convene/runtime/outside/participants/describe_limits.hpp>
#include <convene/runtime/outside/participants/llm_settings.hpp>
#include <convene/session/options/options.hpp>

namespace convene::host {

namespace json = protocol::json;
using protocol::between;

void describe(auto& v, protocol::of<llm_price> auto& x) {
  v.defaulted("prompt", x.prompt, between(0, 1'000'000));
  v.defaulted("completion", x.completion, between(0, 1'000'000));
}

void describe(auto& v, protocol::of<llm_settings> auto& x) {
  v.ignored("type");
  v.defaulted("provider", x.provider);
  v.defaulted("base_url", x.base_url, protocol::not_empty);
  v.member("model", x.model, protocol::not_empty);
  v.defaulted("api_key_env", x.api_key_env, protocol::not_empty);
  v.defaulted("system", x.system);
  v.defaulted("stream", x.stream);
  v.defaulted("max_tokens", x.max_tokens, between(1, 10'000'000));
  v.defaulted("temperature", x.temperature, between(0, 2));
  v.defaulted("context_tokens", x.context_tokens, between(1'000, 100'000'000));
  v.defaulted("workspace", x.workspace);
  v.defaulted("tools", x.tools, protocol::not_empty);
  v.defaulted("repairs", x.repairs, between(0, 100));
  v.defaulted("rounds_max", x.rounds_max, between(1, 100));
  v.defaulted("reply", x.reply);
  v.defaulted("price", x.price);
  v.defaulted("timeout_ms", x.timeout_ms, between(1, session::duration_ms_max));
  v.defaulted("retries", x.retries, between(0, 100));
  v.defaulted("limits", x.limits);
  v.defaulted("anthropic_version", x.anthropic_version, protocol::not_empty);
}

namespace {

std::string_view own_service(model_provider whose) {
  return whose == model_provider::openai ? "https://api.openai.com/v1"
                                         : "https://api.anthropic.com";
}

} // namespace

protocol::result<llm_settings> read_llm_settings(const json::value& from,
                                                 std::string_view pointer) {
  protocol::reading r;
  llm_settings to;
  const protocol::place at{.name = pointer};
  if (!protocol::read(r, from, at, protocol::anything, to))
    return protocol::fail(*std::move(r.fault));
  if (to.base_url.empty())
    to.base_url = own_service(to.provider);
  const auto origin = origin_of(to.base_url);
  if (!origin)
    r.refuse(protocol::place{&at, "base_url", {}}, origin.error().rule,
             origin.error().message);
  else if (to.max_tokens >= to.context_tokens)
    r.refuse(protocol::place{&at, "max_tokens", {}}, "maximum",
             "an answer must be shorter than context_tokens, which has room "
             "for prompt and answer");
  else if (to.reply == llm_reply::json && !to.tools.empty())
    r.refuse(protocol::place{&at, "tools", {}}, "tools",
             "a model that replies in JSON calls no tools; leave `tools` out "
             "or write \"reply\": \"tools\"");
  if (r.fault)
    return protocol::fail(*std::move(r.fault));
  return to;
}

} // namespace convene::host
