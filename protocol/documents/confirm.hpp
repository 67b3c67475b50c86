#pragma once

#include <convene/protocol/documents/common.hpp>

namespace convene::protocol {

enum class confirm_target : std::uint8_t {
  context,
  plan,
  trace,
  extension,
  other
};
CONVENE_WORDS(confirm_target, "context", "plan", "trace", "extension", "other");

enum class confirm_status : std::uint8_t {
  pending,
  approved,
  rejected,
  cancelled
};
CONVENE_WORDS(confirm_status, "pending", "approved", "rejected", "cancelled");

enum class decision_status : std::uint8_t { approved, rejected, cancelled };
CONVENE_WORDS(decision_status, "approved", "rejected", "cancelled");

/// One decision on a Confirm. Written once, never changed.
struct confirm_decision {
  std::string decision_id; ///< v4 UUID
  decision_status status = decision_status::approved;
  std::string decided_by_role;
  std::string decided_at; ///< date-time
  std::optional<std::string> reason;

  bool operator==(const confirm_decision&) const = default;
};

/// A request to approve one target object (mplp-confirm.schema.json).
struct confirm {
  metadata meta;
  std::optional<protocol::governance> governance;
  std::string confirm_id; ///< v4 UUID
  confirm_target target_type = confirm_target::other;
  std::string target_id; ///< v4 UUID
  confirm_status status = confirm_status::pending;
  std::string requested_by_role;
  std::string requested_at; ///< date-time
  std::optional<std::string> reason;
  std::optional<std::vector<confirm_decision>> decisions;
  std::optional<trace_base> trace;
  std::optional<std::vector<base_event>> events;

  bool operator==(const confirm&) const = default;
};

} // namespace convene::protocol
