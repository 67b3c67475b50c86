#pragma once

#include <convene/protocol/base/uuid.hpp>

#include <cstdint>
#include <string>

namespace convene::tests {

/// The id of a made-up session.
inline protocol::uuid session_number(std::uint64_t number) {
  return protocol::derive_uuid({1, 2}, 3, number);
}

/// An event line of that session, without its line end, laid out as events
/// are; `what` tells it from others.
inline std::string
line_of_session(std::uint64_t number, const std::string& what,
                const std::string& type = "MAPTurnCompleted") {
  return R"({"event_id":")" + to_string(protocol::derive_uuid({4, 5}, 6, 7))
         + R"(","event_type":")" + type
         + R"(","event_family":"RuntimeExecutionEvent","session_id":")"
         + to_string(session_number(number)) + R"(","payload":{"what":")" + what
         + "\"}}";
}

} // namespace convene::tests
