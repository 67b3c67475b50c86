#pragma once

#include <convene/protocol/base/error.hpp>

#include <string>
#include <utility>

namespace convene::host {

/// The refusal of a scenario for what it has at this place.
[[nodiscard]] inline tl::unexpected<protocol::error>
refuse_at(std::string pointer, std::string message, std::string rule) {
  return protocol::fail({.code = protocol::errc::invalid_document,
                         .message = std::move(message),
                         .pointer = std::move(pointer),
                         .rule = std::move(rule)});
}

} // namespace convene::host
