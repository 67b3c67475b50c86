#pragma once

#include <convene/protocol/documents/common.hpp>

namespace convene::protocol {

enum class core_status : std::uint8_t { draft, active, deprecated, archived };
CONVENE_WORDS(core_status, "draft", "active", "deprecated", "archived");

enum class module_status : std::uint8_t {
  enabled,
  disabled,
  experimental,
  deprecated
};
CONVENE_WORDS(module_status, "enabled", "disabled", "experimental",
              "deprecated");

/// One module of a protocol instance.
struct module_descriptor {
  module module_id = module::context; ///< unique in the Core
  std::string version = "1.0.0";      ///< not empty
  module_status status = module_status::enabled;
  std::optional<bool> required;
  std::optional<std::string> description;

  bool operator==(const module_descriptor&) const = default;
};

/// The manifest of one protocol instance (mplp-core.schema.json). Has no
/// context.
struct core {
  metadata meta;
  std::optional<protocol::governance> governance;
  std::string core_id;                    ///< v4 UUID
  std::string protocol_version = "1.0.0"; ///< not empty
  core_status status = core_status::draft;
  std::vector<module_descriptor> modules; ///< at least one
  std::optional<trace_base> trace;
  std::optional<std::vector<base_event>> events;

  bool operator==(const core&) const = default;
};

} // namespace convene::protocol
