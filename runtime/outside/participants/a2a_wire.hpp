#pragma once

#include <convene/runtime/outside/participants/a2a_agent.hpp>

#include <string>
#include <string_view>

// The operations of A2A as HTTP calls, in both of an agent's bindings; for
// sources in this folder only. Pure. Requests and answers are those of 1.0:
// what an agent of 0.3 is sent and answers is translated here.

namespace convene::host {

/// POST /message:send, or SendMessage; `params` is a SendMessageRequest.
[[nodiscard]] http_request send_message_call(const a2a_agent& to,
                                             protocol::json::object params);

/// GET /tasks/{id}, or GetTask. Valid ids: `is_task_id`.
[[nodiscard]] http_request get_task_call(const a2a_agent& to,
                                         std::string_view task_id);

/// POST /tasks/{id}:cancel, or CancelTask.
[[nodiscard]] http_request cancel_task_call(const a2a_agent& to,
                                            std::string_view task_id);

/// Whether it can be a part of a path and of an event.
[[nodiscard]] bool is_task_id(std::string_view text);

/// What an agent answered: of 1.0 the result of the operation, of 0.3 always
/// {"message": {...}} or {"task": {...}}. Further codes of errors:
/// `agent_answer_invalid`, and `agent_error` for what a JSON-RPC agent reports.
[[nodiscard]] tl::expected<protocol::json::object, protocol::action_error>
read_agent_answer(const a2a_agent& from, http_answer got);

/// The answer of GetTask, as {"task": {...}}.
[[nodiscard]] protocol::json::object task_outcome(const a2a_agent& from,
                                                  protocol::json::object got);

} // namespace convene::host
