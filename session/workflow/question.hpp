#pragma once

#include <convene/session/workflow/run_machine.hpp>

namespace convene::session {

/// What a node asks, if not in a conversation.
struct run_machine::question {
  protocol::interrupt_kind kind{};
  boost::json::object data;
  std::optional<std::int64_t> timeout_ms;
  std::optional<boost::json::object> resume_schema = {};
  std::optional<std::string> cause = {}; ///< absent: the node's latest event
};

} // namespace convene::session
