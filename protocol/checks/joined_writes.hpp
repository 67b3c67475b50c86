#pragma once

#include <convene/protocol/json/members.hpp>

namespace convene::protocol {

/// Whether both writes of a conflict that is resolved so stand. A strategy of
/// the application can join them; then no write is lost.
[[nodiscard]] inline bool joins_writes(const json::object& resolved) {
  const auto strategy = text_of(resolved, "resolution_strategy");
  return strategy == "merge"
         || (strategy == "application"
             && !resolved.contains("losing_participants")
             && !resolved.contains("overridden_versions"));
}

} // namespace convene::protocol
