#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/server/http/request.hpp>
#include <convene/session/workflow/fork.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace convene::server {

// What requests ask for. Errors have a pointer into the body, or name the
// member of the query.

/// POST /v1/runs: the workflow's id, the start, and who is told of the end.
struct run_order {
  std::string workflow_id;
  session::start_run how;
  std::optional<std::string> callback_url;
  /// X-Dedup: enforce. No run of the same tenant and scope may be active.
  bool is_exclusive = false;
};
[[nodiscard]] protocol::result<run_order> read_run_order(const request& from);

/// POST .../interrupts/{nodeId}, and :resolveInterrupt, whose body has the node
/// beside the resume value or, as in RFC 0005, beside a conversation's
/// operation. Without a node, `node_id` is empty.
[[nodiscard]] protocol::result<session::resolve_interrupt>
read_answer(const request& from);

/// POST /v1/interrupts/{token}: what answers it.
[[nodiscard]] protocol::result<boost::json::value>
read_resume_value(const request& from);

/// What cancels, pauses or resumes a run. The body may be empty; members that
/// are not known are ignored.
struct control_order {
  std::string reason;
  /// One of OpenWOP's; both have the same effect, since a node that has started
  /// runs to its end.
  std::string drain_policy{"drain-current-node"};
};
[[nodiscard]] protocol::result<control_order> read_control(const request& from);

/// POST :fork.
[[nodiscard]] protocol::result<session::fork_request>
read_fork(const request& from);

/// The sequence of the first event that a stream's reader has not got, by
/// Last-Event-ID.
[[nodiscard]] protocol::result<std::size_t>
read_last_event_id(const request& from);

/// The statuses that `status` of the query names, with commas; absent: none.
[[nodiscard]] protocol::result<std::vector<session::run_status>>
read_statuses(const request& from);

/// A whole number of the query within bounds; absent: `otherwise`.
[[nodiscard]] protocol::result<std::int64_t>
read_number(const request& from, std::string_view name, std::int64_t least,
            std::int64_t most, std::int64_t otherwise);

} // namespace convene::server
