#pragma once

#include <convene/protocol/conversation/run_event.hpp>

namespace convene::session {

// Why an event of the log is refused.

/// It cannot follow what was there.
[[nodiscard]] inline tl::unexpected<protocol::error>
misplaced_event(const protocol::run_event& event, std::string why) {
  return protocol::fail({.code = protocol::errc::invalid_document,
                         .message = event.type + " of event "
                                    + std::to_string(event.sequence)
                                    + " cannot stand here: " + std::move(why),
                         .rule = "conversation_order"});
}

/// A part of it breaks a rule.
[[nodiscard]] inline tl::unexpected<protocol::error>
wrong_part(std::string rule, std::string message, std::string pointer,
           std::string value = {}) {
  return protocol::fail({.code = protocol::errc::invalid_document,
                         .message = std::move(message),
                         .pointer = std::move(pointer),
                         .rule = std::move(rule),
                         .value = std::move(value)});
}

/// A part of it does not fit to what was there.
[[nodiscard]] inline tl::unexpected<protocol::error>
wrong_event(std::string message, std::string pointer) {
  return wrong_part("conversation_event", std::move(message),
                    std::move(pointer));
}

} // namespace convene::session
