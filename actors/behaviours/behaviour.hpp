#pragma once

#include <convene/actors/behaviours/turn_request.hpp>
#include <convene/protocol/documents/reply.hpp>

#include <cstdint>

namespace convene::actors {

/// What a behaviour answers, and when.
struct answer {
  protocol::reply reply;
  std::int64_t delay_ms = 0; ///< hand the reply in that much later
  bool silent = false;       ///< never hand it in

  bool operator==(const answer&) const = default;
};

/// How a participant comes to its answers.
class behaviour {
public:
  behaviour() = default;
  behaviour(const behaviour&) = delete;
  behaviour& operator=(const behaviour&) = delete;
  virtual ~behaviour() = default;

  /// Must not throw. A behaviour that blocks can be called again, from another
  /// thread, while a call whose turn has timed out still hangs.
  virtual answer respond(const turn_request& asked) = 0;

  /// Whether `respond` may take long. If so it runs on a thread of its own
  /// kind, else in the participant's actor.
  [[nodiscard]] virtual bool blocks() const noexcept {
    return false;
  }

  /// Whether `respond` may do something that shows outside of the session. With
  /// durability `strict` it is called only once everything that led to the call
  /// is on the disk.
  [[nodiscard]] virtual bool acts_outside() const noexcept {
    return true;
  }
};

} // namespace convene::actors
