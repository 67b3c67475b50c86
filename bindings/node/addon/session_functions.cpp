#include "functions.hpp"
#include "promises.hpp"
#include "runtime_handle.hpp"

namespace convene::node {
namespace {

const char* c_string(const std::optional<std::string>& text) {
  return text ? text->c_str() : nullptr;
}

outcome awaited(convene_session* session, std::int64_t limit_ms) {
  char* result = nullptr;
  char* error = nullptr;
  const int code = convene_await(session, limit_ms, &result, &error);
  return outcome_of(code, error, {taken(result)});
}

/// Calls a function of the library that takes a session and a reason.
template <class Function>
napi_value with_reason(napi_env env, const arguments& given, Function call) {
  const auto reason = optional_text(env, given[1]);
  char* error = nullptr;
  const int code = call(unwrapped<convene_session>(env, given[0]).get(),
                        c_string(reason), &error);
  checked(code, error);
  return undefined(env);
}

} // namespace

/// (runtime, scenario, participants): a session.
napi_value start(napi_env env, const arguments& given) {
  const auto scenario = text(env, given[1]);
  const auto participants = text(env, given[2]);
  convene_session* session = nullptr;
  char* error = nullptr;
  const int code
    = convene_start(unwrapped<runtime_handle>(env, given[0])->runtime,
                    scenario.c_str(), participants.c_str(), &session, &error);
  checked(code, error);
  return wrapped(env, session_handle{session, convene_session_free});
}

napi_value status(napi_env env, const arguments& given) {
  char* found = nullptr;
  char* error = nullptr;
  const int code = convene_status(
    unwrapped<convene_session>(env, given[0]).get(), &found, &error);
  checked(code, error);
  return to_value(env, taken(found));
}

/// (session): its result, or undefined if it runs.
napi_value look(napi_env env, const arguments& given) {
  const auto found = awaited(unwrapped<convene_session>(env, given[0]).get(),
                             0);
  if (found.code > CONVENE_OVER)
    throw failure{found.error};
  return found.code == CONVENE_OK ? to_value(env, found.texts.front())
                                  : undefined(env);
}

/// (runtime, session, limit_ms): a promise of its result.
napi_value wait(napi_env env, const arguments& given) {
  const auto limit_ms = integer(env, given[2]);
  return promised(env, *unwrapped<runtime_handle>(env, given[0])->ends,
                  [session = unwrapped<convene_session>(env, given[1]),
                   limit_ms] { return awaited(session.get(), limit_ms); });
}

napi_value cancel(napi_env env, const arguments& given) {
  return with_reason(env, given, convene_cancel);
}

napi_value suspend(napi_env env, const arguments& given) {
  return with_reason(env, given, convene_suspend);
}

napi_value resume(napi_env env, const arguments& given) {
  char* error = nullptr;
  const int code
    = convene_resume(unwrapped<convene_session>(env, given[0]).get(), &error);
  checked(code, error);
  return undefined(env);
}

/// (runtime, session, text, participant): a promise.
napi_value message(napi_env env, const arguments& given) {
  return promised(env, *unwrapped<runtime_handle>(env, given[0])->calls,
                  [session = unwrapped<convene_session>(env, given[1]),
                   said = text(env, given[2]),
                   from = optional_text(env, given[3])] {
                    char* error = nullptr;
                    const int code = convene_message(session.get(),
                                                     said.c_str(),
                                                     c_string(from), &error);
                    return outcome_of(code, error);
                  });
}

} // namespace convene::node
