#pragma once

#include <exception>
#include <optional>
#include <string>

namespace convene::actors {

/// Runs `body` and returns the message of what it threw, if anything.
template <class Body>
[[nodiscard]] std::optional<std::string> catch_error(Body&& body) {
  try {
    body();
    return std::nullopt;
  } catch (const std::exception& thrown) {
    return thrown.what();
  } catch (...) {
    return "something that is no std::exception";
  }
}

} // namespace convene::actors
