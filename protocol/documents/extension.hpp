#pragma once

#include <convene/protocol/documents/common.hpp>

namespace convene::protocol {

enum class extension_type : std::uint8_t {
  capability,
  policy,
  integration,
  transformation,
  validation,
  other
};
CONVENE_WORDS(extension_type, "capability", "policy", "integration",
              "transformation", "validation", "other");

enum class extension_status : std::uint8_t {
  registered,
  active,
  inactive,
  deprecated
};
CONVENE_WORDS(extension_status, "registered", "active", "inactive",
              "deprecated");

/// A registered plugin (mplp-extension.schema.json).
struct extension {
  metadata meta;
  std::optional<protocol::governance> governance;
  std::string extension_id; ///< v4 UUID
  std::string context_id;   ///< v4 UUID
  std::string name;         ///< not empty
  protocol::extension_type extension_type = protocol::extension_type::other;
  std::string version = "1.0.0"; ///< semantic version
  extension_status status = extension_status::registered;
  std::optional<json::object> config;
  std::optional<trace_base> trace;
  std::optional<std::vector<base_event>> events;

  bool operator==(const extension&) const = default;
};

} // namespace convene::protocol
