#pragma once

#include <convene/protocol/base/words.hpp>

#include <cstdint>

namespace convene::protocol {

/// What a runtime validates against the schemas.
enum class validation_level : std::uint8_t {
  boundary, ///< all that comes in and all that goes out
  input,    ///< all that comes in
  off,      ///< nothing; for measurements
};
CONVENE_WORDS(validation_level, "boundary", "input", "off");

} // namespace convene::protocol
