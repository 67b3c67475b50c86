#pragma once

#include <convene/session/requests/request.hpp>

#include <cstdint>
#include <optional>

namespace convene::actors {

/// What becomes of a request on its way to a participant.
struct request_fate {
  bool is_lost = false;
  std::int64_t delay_ms = 0;
};

/// What becomes of a participant's answer.
struct answer_fate {
  bool is_lost = false;      ///< never handed in
  std::int64_t delay_ms = 0; ///< besides the behaviour's own
  /// So long after it, it is handed in again.
  std::optional<std::int64_t> again_after_ms;
  /// The participant's actor dies; an answer that was not lost arrives
  /// nevertheless.
  bool dies = false;
};

/// Decides what becomes of the messages between a session and its participants,
/// for simulations of what goes wrong there. Not thread-safe: only where all
/// actors run in one thread.
class message_faults {
public:
  virtual ~message_faults() = default;

  [[nodiscard]] virtual request_fate
  of_request(session::participant_index to, const session::request& what)
    = 0;

  [[nodiscard]] virtual answer_fate
  of_answer(session::participant_index from, const session::request& what)
    = 0;
};

} // namespace convene::actors
