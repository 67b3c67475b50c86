#pragma once

#include <convene/protocol/base/words.hpp>

#include <cstdint>

namespace convene::protocol {

/// When an event counts as kept.
enum class durability : std::uint8_t {
  none,   ///< once it is handed to the system: survives the process only
  group,  ///< once it is on the disk; who caused it does not wait for that
  strict, ///< the same, and nobody acts outside before the events that led to
          ///< it
};
CONVENE_WORDS(durability, "none", "group", "strict");

} // namespace convene::protocol
