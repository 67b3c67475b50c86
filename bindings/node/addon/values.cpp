#include "values.hpp"

#include <convene.h>

namespace convene::node {
namespace {

failure usage(const std::string& message) {
  return {R"({"code":"usage","message":")" + message + "\"}"};
}

} // namespace

std::string taken(char* text) {
  if (text == nullptr)
    return {};
  std::string copy{text};
  convene_free(text);
  return copy;
}

int checked(int code, char* error) {
  auto why = taken(error);
  if (code > CONVENE_OVER)
    throw failure{std::move(why)};
  return code;
}

outcome outcome_of(int code, char* error, std::vector<std::string> texts) {
  return {code, std::move(texts), taken(error)};
}

std::string text(napi_env env, napi_value value) {
  std::size_t size = 0;
  if (napi_get_value_string_utf8(env, value, nullptr, 0, &size) != napi_ok)
    throw usage("a string is expected");
  std::string found(size, '\0');
  napi_get_value_string_utf8(env, value, found.data(), size + 1, &size);
  if (found.find('\0') != std::string::npos)
    throw usage("a text contains the character U+0000: remove it");
  return found;
}

std::optional<std::string> optional_text(napi_env env, napi_value value) {
  napi_valuetype type = napi_undefined;
  napi_typeof(env, value, &type);
  if (type == napi_undefined || type == napi_null)
    return std::nullopt;
  return text(env, value);
}

bool boolean(napi_env env, napi_value value) {
  bool found = false;
  napi_get_value_bool(env, value, &found);
  return found;
}

std::int64_t integer(napi_env env, napi_value value) {
  std::int64_t found = 0;
  if (napi_get_value_int64(env, value, &found) != napi_ok)
    throw usage("a number is expected");
  return found;
}

napi_value to_value(napi_env env, const std::string& text) {
  napi_value made = nullptr;
  napi_create_string_utf8(env, text.data(), text.size(), &made);
  return made;
}

napi_value to_value(napi_env env, int number) {
  napi_value made = nullptr;
  napi_create_int32(env, number, &made);
  return made;
}

napi_value to_value(napi_env env, const std::vector<std::string>& texts) {
  napi_value made = nullptr;
  napi_create_array_with_length(env, texts.size(), &made);
  std::uint32_t at = 0;
  for (const auto& each : texts)
    napi_set_element(env, made, at++, to_value(env, each));
  return made;
}

napi_value undefined(napi_env env) {
  napi_value made = nullptr;
  napi_get_undefined(env, &made);
  return made;
}

void* external_data(napi_env env, napi_value value) {
  void* found = nullptr;
  if (napi_get_value_external(env, value, &found) != napi_ok)
    throw usage("a handle is expected");
  return found;
}

} // namespace convene::node
