#include "functions.hpp"
#include "promises.hpp"
#include "runtime_handle.hpp"
#include "values.hpp"

namespace convene::node {
namespace {

outcome step_of(convene_action* action, std::int64_t limit_ms) {
  char* step = nullptr;
  char* error = nullptr;
  const int code = convene_action_next(action, limit_ms, &step, &error);
  return outcome_of(code, error, {taken(step)});
}

} // namespace

/// (request, action): it, or undefined if the request is over.
napi_value act(napi_env env, const arguments& given) {
  const auto what = text(env, given[1]);
  const auto& request = unwrapped<convene_request>(env, given[0]);
  if (!request)
    return undefined(env);
  convene_action* begun = nullptr;
  char* error = nullptr;
  const int code = convene_act(request.get(), what.c_str(), &begun, &error);
  checked(code, error);
  return wrapped(env, action_handle{begun, convene_action_free});
}

/// (runtime, action): [its next step], or a promise of that; not an array if
/// the turn is over.
napi_value next_step(napi_env env, const arguments& given) {
  const auto& action = unwrapped<convene_action>(env, given[1]);
  const auto found = step_of(action.get(), 0);
  if (found.code == CONVENE_TIMEOUT)
    return promised(env, *unwrapped<runtime_handle>(env, given[0])->steps,
                    [action] { return step_of(action.get(), -1); });
  if (found.code > CONVENE_OVER)
    throw failure{found.error};
  return found.code == CONVENE_OK ? to_value(env, found.texts) : undefined(env);
}

/// (action, result)
napi_value end_action(napi_env env, const arguments& given) {
  const auto result = text(env, given[1]);
  char* error = nullptr;
  const int code = convene_action_end(
    unwrapped<convene_action>(env, given[0]).get(), result.c_str(), &error);
  checked(code, error);
  return undefined(env);
}

napi_value free_action(napi_env env, const arguments& given) {
  unwrapped<convene_action>(env, given[0]).reset();
  return undefined(env);
}

} // namespace convene::node
