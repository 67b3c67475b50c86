#include <boost/json/serialize.hpp>
#include <convene/runtime/outside/models/answer_calls.hpp>
#include <convene/runtime/outside/models/answer_codec.hpp>
#include <convene/runtime/outside/models/answer_errors.hpp>
#include <convene/runtime/outside/models/request_hint.hpp>
#include <convene/runtime/outside/models/sent_call.hpp>
#include <convene/runtime/outside/participants/llm_call.hpp>
#include <convene/runtime/outside/participants/llm_prompt.hpp>
#include <convene/runtime/outside/participants/trace_headers.hpp>
#include <convene/runtime/outside/participants/without_key.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

namespace convene::host {
namespace {

/// The state of one attempt, on the loop thread.
struct attempt_state {
  llm_call what;
  std::string key; ///< of the action
  std::unique_ptr<answer_stream> stream;
  std::int64_t tokens = -1; ///< that it used; below 0: unknown
};

protocol::action_result failed(protocol::action_error why,
                               const model_access& by) {
  why.message = without_key(std::move(why.message), by.api_key);
  for (const auto& each : by.secrets)
    why.message = without_key(std::move(why.message), each);
  const auto how = why.code == "timed_out" ? protocol::action_status::timed_out
                                           : protocol::action_status::failed;
  return {.status = how, .error = std::move(why)};
}

/// Some servers do not count.
void estimate(protocol::usage& used, const attempt_state& of,
              const model_answer& got) {
  if (protocol::total_tokens(used) > 0)
    return;
  auto bytes = got.text.size();
  if (!got.original.empty())
    bytes += protocol::json::serialize(got.original).size();
  for (const auto& each : got.calls)
    bytes += each.name.size() + each.arguments.size();
  used.prompt_tokens
    = static_cast<std::int64_t>(of.what.body->size() / bytes_per_token);
  used.completion_tokens = static_cast<std::int64_t>(bytes / bytes_per_token);
}

/// Some servers say that a call is complete when `max_tokens` cut it.
bool is_cut_call(const model_answer& got, std::int64_t max_tokens) {
  return !got.calls.empty() && got.usage.completion_tokens >= max_tokens
         && !is_sendable(got.calls.back().arguments);
}

protocol::action_error error_of_status(http_answer got) {
  if (const auto words = error_words(got.body); !words.empty())
    got.error.message += ": " + words;
  constexpr int first_error = 400;
  if (got.status >= first_error)
    got.error.transient
      = got.should_retry.value_or(may_succeed_later(got.status, got.body));
  return std::move(got.error);
}

protocol::action_result result_of(attempt_state& of, http_answer got) {
  const auto& settings = *of.what.settings;
  if (of.what.status)
    *of.what.status = got.status;
  if (!got.is_ok()) {
    const auto hint = setting_hint(settings.provider, *of.what.body, got.status,
                                   got.body);
    auto why = error_of_status(std::move(got));
    why.message += hint;
    return failed(std::move(why), of.what.access);
  }
  auto answer = of.stream->finish();
  if (!answer)
    return failed(std::move(answer.error()), of.what.access);
  if (is_cut_call(*answer, settings.max_tokens))
    answer->finish = finish_reason::length;
  complete_ids(answer->calls, of.key);
  estimate(answer->usage, of, *answer);
  of.tokens = protocol::total_tokens(answer->usage);
  answer->usage.cost_microusd = cost_of(settings.price, answer->usage);
  protocol::action_result result{.usage = answer->usage};
  answer->usage.cost_microusd = 0;
  if (of.what.thoughts)
    of.what.thoughts->put(std::exchange(answer->original, {}));
  result.output = encode(*answer);
  return result;
}

} // namespace

std::int64_t cost_of(const llm_price& price, const protocol::usage& what) {
  // Dollars per million tokens are millionths of a dollar per token.
  const auto cost = static_cast<double>(what.prompt_tokens) * price.prompt
                    + static_cast<double>(what.completion_tokens)
                        * price.completion;
  constexpr double most = 9e18;
  return static_cast<std::int64_t>(std::min(std::ceil(cost), most));
}

actors::cancel_function
call_model(const std::shared_ptr<paced_client>& by, const llm_call& what,
           const actors::attempt& which, actors::when_acted then) {
  const auto& settings = *what.settings;
  auto state = std::make_shared<attempt_state>();
  state->what = what;
  state->key = which.idempotency_key;
  state->stream = stream_of(settings.provider,
                            settings.stream ? what.on_text : when_text{});
  auto endpoint = endpoint_of(settings.provider, settings.base_url,
                              what.access.api_key, settings.anthropic_version,
                              facts_of(settings).key_header);
  for (const auto& [name, value] : what.access.headers)
    set_header(endpoint, name, value);
  http_request request{.url = std::move(endpoint.url),
                       .body = *what.body,
                       .timeout_ms = which.timeout_ms,
                       .body_bytes_max = model_answer_bytes_max};
  for (auto& [name, value] : endpoint.headers)
    request.headers.push_back({std::move(name), std::move(value)});
  request.headers.push_back({"Idempotency-Key", which.idempotency_key});
  add_trace_headers(request, which.trace);
  request.on_data = [state](std::string_view data) {
    return state->stream->feed(data);
  };
  const auto tokens
    = static_cast<std::int64_t>(what.body->size() / bytes_per_token)
      + settings.max_tokens;
  return by->start(settings.base_url, settings.limits, tokens,
                   std::move(request),
                   [state, then = std::move(then)](http_answer got) {
                     then(result_of(*state, std::move(got)));
                   });
}

} // namespace convene::host
