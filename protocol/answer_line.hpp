#pragma once

#include <convene/protocol/reply.hpp>
#include <convene/protocol/timestamp.hpp>
#include <convene/protocol/uuid.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace convene::protocol {

/// The answer to a request, as the event that closes it has it.
struct logged_answer {
  timestamp_ms at = 0;
  std::string participant_id;
  uuid token;
  reply what;
};

/// The answer in a line of MAPTurnCompleted or MAPBroadcastReceived, without
/// making a tree of the rest of it: replaying a log reads one for each turn.
/// Nothing where the line is of another event, or where not all of the answer
/// is there or good: only a reading of the whole line says why. Of members
/// that stand there twice the first counts.
[[nodiscard]] std::optional<logged_answer> read_answer(std::string_view line);

} // namespace convene::protocol
