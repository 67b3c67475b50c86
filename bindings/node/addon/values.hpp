#pragma once

#include <node_api.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace convene::node {

/// What a call throws in JavaScript: {"code", "message", "details"}.
struct failure {
  std::string json;
};

/// What a call of the library returned, to be settled by another thread.
struct outcome {
  int code = 0;
  std::vector<std::string> texts;
  std::string error; ///< JSON, if the code is that of a failure
};

/// Takes a text that the library gave us.
[[nodiscard]] std::string taken(char* text);

/// Throws `failure` if the code is that of one; takes `error`.
int checked(int code, char* error);

/// The same without a throw.
[[nodiscard]] outcome outcome_of(int code, char* error,
                                 std::vector<std::string> texts = {});

/// The text of a string; throws `failure` for other values, and for texts with
/// a zero, at which the library would cut them.
[[nodiscard]] std::string text(napi_env env, napi_value value);

/// The same, or nothing for undefined and null.
[[nodiscard]] std::optional<std::string> optional_text(napi_env env,
                                                       napi_value value);

[[nodiscard]] bool boolean(napi_env env, napi_value value);
[[nodiscard]] std::int64_t integer(napi_env env, napi_value value);

[[nodiscard]] napi_value to_value(napi_env env, const std::string& text);
[[nodiscard]] napi_value to_value(napi_env env, int number);
[[nodiscard]] napi_value to_value(napi_env env,
                                  const std::vector<std::string>& texts);
[[nodiscard]] napi_value undefined(napi_env env);

/// A value that shares `what` until it is collected.
template <class T>
napi_value wrapped(napi_env env, std::shared_ptr<T> what) {
  auto* held = new std::shared_ptr<T>{std::move(what)};
  napi_value made = nullptr;
  napi_create_external(
    env, held,
    [](napi_env, void* data, void*) {
      delete static_cast<std::shared_ptr<T>*>(data);
    },
    nullptr, &made);
  return made;
}

[[nodiscard]] void* external_data(napi_env env, napi_value value);

template <class T>
std::shared_ptr<T>& unwrapped(napi_env env, napi_value value) {
  return *static_cast<std::shared_ptr<T>*>(external_data(env, value));
}

} // namespace convene::node
