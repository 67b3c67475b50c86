#pragma once

#include <convene/protocol/base/timestamp.hpp>
#include <convene/protocol/base/uuid.hpp>
#include <convene/protocol/documents/reply.hpp>

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

/// The answer in a line of MAPTurnCompleted or MAPBroadcastReceived that a
/// session machine wrote, without making a tree of the rest of it: replaying a
/// log reads one for each turn. Nothing if the line is another event's, or if
/// the answer is incomplete or invalid; reading the whole line then says why.
/// The rest of the line is not checked, not even for being JSON: for callers
/// that compare the whole line with what the machine makes of the answer.
[[nodiscard]] std::optional<logged_answer> read_answer(std::string_view line);

} // namespace convene::protocol
