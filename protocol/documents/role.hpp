#pragma once

#include <convene/protocol/documents/common.hpp>

namespace convene::protocol {

/// A named identity with capability tags `resource.action`, where `resource.*`
/// and `*` are wildcards (mplp-role.schema.json). Has no status.
struct role {
  metadata meta;
  std::optional<protocol::governance> governance;
  std::string role_id; ///< v4 UUID
  std::string name;
  std::optional<std::string> description;
  std::optional<std::vector<std::string>> capabilities;
  std::optional<std::string> created_at;
  std::optional<std::string> updated_at;
  std::optional<trace_base> trace;
  std::optional<std::vector<base_event>> events;

  bool operator==(const role&) const = default;
};

} // namespace convene::protocol
