#pragma once

#include <convene/protocol/base/words.hpp>

#include <cstdint>

namespace convene::protocol {

/// The protocol's codes for answers that an interrupt does not take.
enum class interrupt_error : std::uint8_t {
  validation_error,           ///< HTTP 400
  interrupt_not_found,        ///< 404
  interrupt_already_resolved, ///< 409
  interrupt_cancelled,        ///< 422
  internal_error              ///< 500: the host's own mistake
};
CONVENE_WORDS(interrupt_error, "validation_error", "interrupt_not_found",
              "interrupt_already_resolved", "interrupt_cancelled",
              "internal_error");

} // namespace convene::protocol
