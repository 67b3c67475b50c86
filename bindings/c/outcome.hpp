#pragma once

#include <convene/bindings/c/convene.h>
#include <convene/protocol/base/error.hpp>
#include <convene/protocol/json/json_text.hpp>

#include <exception>
#include <string>
#include <string_view>
#include <type_traits>

namespace convene::c_api {

/// Hands the error to the caller, if it takes one, and returns its code.
int report(const protocol::error& what, char** error) noexcept;

/// A copy for the caller to free; throws `std::bad_alloc`.
[[nodiscard]] char* text_for_caller(std::string_view text);

/// The refusal of an argument that is null.
[[nodiscard]] tl::unexpected<protocol::error> null_argument(const char* name);

/// Runs `body`, which returns a `result` of a code or of nothing. No exception
/// leaves it.
template <class Body>
int guarded(char** error, const Body& body) noexcept {
  if (error != nullptr)
    *error = nullptr;
  try {
    const auto made = body();
    if (!made)
      return report(made.error(), error);
    if constexpr (std::is_same_v<decltype(made), const protocol::result<int>>)
      return *made;
    else
      return CONVENE_OK;
  } catch (const std::exception& thrown) {
    return report({.message = thrown.what()}, error);
  } catch (...) {
    return report({.message = "an unknown exception"}, error);
  }
}

/// Reads a JSON object; `name` is the argument's.
[[nodiscard]] protocol::result<protocol::json::object>
object_argument(const char* text, const char* name);

} // namespace convene::c_api
