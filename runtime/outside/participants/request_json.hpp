#pragma once

#include <convene/actors/behaviours/turn_request.hpp>

#include <string>

namespace convene::host {

/// How much of the workspace a participant is shown.
enum class workspace_part : bool {
  snapshot, ///< all resources that are not deleted
  changes,  ///< what has changed since its previous request, with deletions
};

/// A request as programs and services get it (docs/agents.md, "The request"):
///
///     {"convene": "1", "wanted": "turn" | "broadcast" | "decision" | "vote"
///          | "escalation",
///      "session": {"session_id", "mode", "title", "purpose"},
///      "participant": {"participant_id", "role_id", ["role_name"]},
///      "token", ["turn_number"], ["round"], ["attempt"], "sequence",
///      "deadline", "task", ["duty"], ["step_id"],
///      ["handoff": {"handoff_id", "from", "instructions", "reason"}],
///      ["may_write": [{"resource_type", "resource_id"}]],
///      "dialog": [{"participant", "content", "at"}],
///      "workspace": {"revision", "resources" | "changes":
///          [{"resource_type", "resource_id", "version", "value" |
///            "deleted": true}]},
///      ["responses": [{"participant", "status", "content"}]],
///      ["missed_quorum": {"answered", "needed"}],
///      ["decide": {...}], ["dispute": {...}],
///      ["approval": {"participant", "kind", "name", "arguments", "sha256"}]}
///
/// Members in brackets are there where they apply. `deadline` and `at` are
/// timestamps like those on the log.
[[nodiscard]] protocol::json::object
to_json(const actors::turn_request& asked,
        workspace_part shown = workspace_part::snapshot);

/// The same as text on one line, without a line end.
[[nodiscard]] std::string
request_json(const actors::turn_request& asked,
             workspace_part shown = workspace_part::snapshot);

/// What idempotency keys cover of a request: a digest of it without the members
/// that a repetition of the same question may change, which are token,
/// turn_number, attempt, sequence, deadline and reply_url.
[[nodiscard]] std::string question_of(protocol::json::object request);

/// The shared resources alone, as in `to_json`.
[[nodiscard]] protocol::json::object
workspace_json(const actors::turn_request& asked, workspace_part shown);

} // namespace convene::host
