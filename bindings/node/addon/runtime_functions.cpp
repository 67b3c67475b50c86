#include "environment.hpp"
#include "functions.hpp"
#include "promises.hpp"
#include "request_pump.hpp"

namespace convene::node {

/// (options, onRequests): a runtime.
napi_value open(napi_env env, const arguments& given) {
  auto& here = environment::of(env);
  if (here.is_over())
    throw failure{
      R"({"code":"not_allowed","message":"the process or worker ends"})"};
  const auto options = text(env, given[0]);
  const auto made = std::make_shared<runtime_handle>();
  char* error = nullptr;
  const int code = convene_open(options.c_str(), &made->runtime, &error);
  checked(code, error);
  made->requests = here.make_lane();
  made->ends = here.make_lane();
  made->steps = here.make_lane();
  made->calls = here.make_lane();
  here.add(made);
  pump_requests(env, made, given[1]);
  return wrapped(env, made);
}

/// (runtime): a promise of its end; its threads stay.
napi_value close(napi_env env, const arguments& given) {
  const auto runtime = unwrapped<runtime_handle>(env, given[0]);
  return promised(env, *runtime->calls, [runtime] {
    char* error = nullptr;
    const int code = convene_close(runtime->runtime, &error);
    return outcome_of(code, error);
  });
}

/// (runtime): ends its threads.
napi_value stop(napi_env env, const arguments& given) {
  unwrapped<runtime_handle>(env, given[0])->close();
  return undefined(env);
}

napi_value close_all(napi_env env, const arguments&) {
  environment::of(env).close_all();
  return undefined(env);
}

/// (is_held): the process ends only without holds.
napi_value hold(napi_env env, const arguments& given) {
  auto& here = environment::of(env);
  if (boolean(env, given[0]))
    here.hold(env);
  else
    here.release(env);
  return undefined(env);
}

napi_value recovered(napi_env env, const arguments& given) {
  char* found = nullptr;
  char* error = nullptr;
  const int code = convene_recovered(
    unwrapped<runtime_handle>(env, given[0])->runtime, &found, &error);
  checked(code, error);
  return to_value(env, taken(found));
}

/// (runtime, id): a session.
napi_value recovered_session(napi_env env, const arguments& given) {
  const auto id = text(env, given[1]);
  convene_session* session = nullptr;
  char* error = nullptr;
  const int code = convene_recovered_session(
    unwrapped<runtime_handle>(env, given[0])->runtime, id.c_str(), &session,
    &error);
  checked(code, error);
  return wrapped(env, session_handle{session, convene_session_free});
}

} // namespace convene::node
