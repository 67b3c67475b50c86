#pragma once

#include <convene/protocol/base/words.hpp>

#include <cstdint>

namespace convene::protocol {

/// What a runtime validates against the schemas.
enum class validation_level : std::uint8_t {
  boundary, ///< all input and all output
  input,    ///< all input
  off,      ///< nothing; for measurements
};
CONVENE_WORDS(validation_level, "boundary", "input", "off");

} // namespace convene::protocol
