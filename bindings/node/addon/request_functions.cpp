#include "functions.hpp"
#include "runtime_handle.hpp"
#include "values.hpp"

namespace convene::node {
namespace {

/// Calls a function of the library that takes a request and text. False: the
/// request is over.
template <class Function>
napi_value say(napi_env env, const arguments& given, Function call) {
  const auto json = text(env, given[1]);
  const auto& request = unwrapped<convene_request>(env, given[0]);
  char* error = nullptr;
  const int code = request ? call(request.get(), json.c_str(), &error)
                           : static_cast<int>(CONVENE_OVER);
  napi_value is_said = nullptr;
  napi_get_boolean(env, checked(code, error) == CONVENE_OK, &is_said);
  return is_said;
}

} // namespace

napi_value answer(napi_env env, const arguments& given) {
  return say(env, given, convene_answer);
}

napi_value write(napi_env env, const arguments& given) {
  return say(env, given, convene_write);
}

napi_value claim(napi_env env, const arguments& given) {
  return say(env, given, convene_claim);
}

napi_value stream(napi_env env, const arguments& given) {
  return say(env, given, convene_stream);
}

napi_value is_over(napi_env env, const arguments& given) {
  const auto& request = unwrapped<convene_request>(env, given[0]);
  napi_value found = nullptr;
  napi_get_boolean(env, !request || convene_request_over(request.get()) == 1,
                   &found);
  return found;
}

napi_value free_request(napi_env env, const arguments& given) {
  unwrapped<convene_request>(env, given[0]).reset();
  return undefined(env);
}

} // namespace convene::node
