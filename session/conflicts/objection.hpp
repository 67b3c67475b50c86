#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/session/routing/policy.hpp>

#include <string>
#include <utility>

namespace convene::session {

/// Why a write or a claim does not count.
struct objection {
  std::string code;
  std::string message;
  /// Somebody's right stands against it, which is logged as a conflict.
  bool is_conflict = false;
  participant_index other = no_participant; ///< whose right, if anybody's
};

[[nodiscard]] inline objection objection_of(protocol::error why) {
  return {.code = std::move(why.rule), .message = std::move(why.message)};
}

[[nodiscard]] inline objection
conflict_with(participant_index other, std::string code, std::string message) {
  return {.code = std::move(code),
          .message = std::move(message),
          .is_conflict = true,
          .other = other};
}

} // namespace convene::session
