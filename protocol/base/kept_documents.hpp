#pragma once

#include <convene/protocol/base/words.hpp>

#include <cstdint>

namespace convene::protocol {

/// The sessions of a run whose documents are written.
enum class kept_documents : std::uint8_t {
  none,
  failed, ///< those that ended, but did not complete
  ended,  ///< all that ended
};
CONVENE_WORDS(kept_documents, "none", "failed", "ended");

} // namespace convene::protocol
