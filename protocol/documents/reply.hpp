#pragma once

#include <convene/protocol/documents/common.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace convene::protocol {

enum class reply_status : std::uint8_t { completed, failed, declined };
CONVENE_WORDS(reply_status, "completed", "failed", "declined");

/// Why a reply failed, for programs and for people.
struct reply_error {
  std::string code; ///< snake_case
  std::string message;

  bool operator==(const reply_error&) const = default;
};

/// New work that a reply proposes. It becomes a step of the session's plan.
struct task {
  std::string title; ///< not empty
  std::string description;
  /// What its turn may write, by id or `type/id`; empty: anything. Two that
  /// name the same are not open at once.
  std::vector<std::string> resources;
  std::string role; ///< who it is for; empty: anyone

  bool operator==(const task&) const = default;
};

enum class write_op : std::uint8_t { put, merge, patch, remove };
CONVENE_WORDS(write_op, "put", "merge", "patch", "delete");

/// A change of a shared resource. `value` is the new value, a merge patch (RFC
/// 7396) or a patch (RFC 6902); with `remove` there is none.
struct resource_write {
  std::string resource_type;     ///< not empty
  std::string resource_id;       ///< not empty
  std::int64_t base_version = 0; ///< the version it changes; 0: a new resource
  write_op op = write_op::put;
  json::value value;

  bool operator==(const resource_write&) const = default;
};

/// A claim to a resource, which then only its holder may write.
struct claim {
  std::string resource_type; ///< not empty
  std::string resource_id;   ///< not empty
  bool release = false;      ///< release it instead
  std::string to;            ///< participant id: hand it over instead

  bool operator==(const claim&) const = default;
};

/// A reference to a resource.
struct resource_ref {
  std::string resource_type; ///< not empty
  std::string resource_id;   ///< not empty

  bool operator==(const resource_ref&) const = default;
};

/// Another participant continues the work.
struct handoff {
  std::string to;           ///< participant id, or a role; not empty
  std::string instructions; ///< what the receiver is to do
  std::string reason;

  bool operator==(const handoff&) const = default;
};

/// A vote on whose write should stand.
struct vote {
  std::string conflict_id;
  std::string in_favour_of; ///< participant id; `for` in JSON

  bool operator==(const vote&) const = default;
};

/// What a turn cost. Money is in millionths of a US dollar.
struct usage {
  std::int64_t prompt_tokens = 0;
  std::int64_t completion_tokens = 0;
  std::int64_t cost_microusd = 0;

  bool operator==(const usage&) const = default;
};

/// Sums that saturate at the largest number.
[[nodiscard]] usage operator+(const usage& a, const usage& b) noexcept;
[[nodiscard]] std::int64_t total_tokens(const usage& of) noexcept;

/// Orchestrator: give this participant a turn. Exactly one of `participant` and
/// `role` says whom; with only a step, the step's own assignment does.
struct dispatch_decision {
  std::string participant;
  std::string role;
  std::string task; ///< empty: the step's description, else the session's task
  std::string step_id;
  /// All resources that the turn may write; empty: none. Unset: any, and then
  /// no other turn may be open.
  std::optional<std::vector<resource_ref>> resources;

  bool operator==(const dispatch_decision&) const = default;
};

/// Orchestrator: ask all others at once and collect their answers.
struct broadcast_decision {
  std::string task; ///< empty: the session's task

  bool operator==(const broadcast_decision&) const = default;
};

/// Orchestrator: a step can no longer succeed, or is not needed.
struct close_step_decision {
  std::string step_id;
  bool skip = false; ///< false: it failed
  std::string reason;

  bool operator==(const close_step_decision&) const = default;
};

/// Orchestrator: the session is done.
struct complete_decision {
  bool success = true; ///< false ends the session as cancelled
  std::string reason;

  bool operator==(const complete_decision&) const = default;
};

/// Orchestrator: do nothing until an outstanding turn closes.
struct wait_decision {
  bool operator==(const wait_decision&) const = default;
};

/// Orchestrator: ask a person, who writes nothing in that turn.
struct ask_decision {
  std::string participant; ///< empty: the first free person
  std::string task;        ///< not empty

  bool operator==(const ask_decision&) const = default;
};

/// A `handoff` here is the orchestrator's own and gives the turn.
using decision
  = std::variant<dispatch_decision, broadcast_decision, close_step_decision,
                 complete_decision, wait_decision, handoff, ask_decision>;

/// A participant's answer, independent of its behaviour.
struct reply {
  reply_status status = reply_status::completed;
  std::string content;
  std::vector<resource_write> writes; ///< of shared resources, in order
  std::vector<protocol::claim> claim; ///< before the writes
  /// Takes all that it claims or, if it cannot, nothing; then it writes nothing
  /// either.
  bool claim_all = false;
  /// The holder of a turn passes it on, once.
  std::optional<protocol::handoff> handoff;
  std::optional<protocol::vote> vote; ///< if a vote was requested
  std::vector<task> tasks;
  std::vector<protocol::decision> decision;
  bool end = false; ///< votes to end the session
  protocol::usage usage;
  std::vector<std::string> reasoning;
  json::object result; ///< carried into MAPTurnCompleted
  reply_error error;   ///< with status failed

  bool operator==(const reply&) const = default;
};

} // namespace convene::protocol
