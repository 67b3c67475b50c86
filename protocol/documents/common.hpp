#pragma once

#include <boost/json/value.hpp>
#include <convene/protocol/base/words.hpp>

#include <optional>
#include <string>
#include <vector>

namespace convene::protocol {

namespace json = boost::json;

/// `meta` of every module object (common/metadata.schema.json).
struct metadata {
  std::string protocol_version = "1.0.0";
  std::string schema_version = "1.0.0";
  std::optional<std::string> created_at; ///< date-time
  std::optional<std::string> created_by;
  std::optional<std::string> updated_at; ///< date-time
  std::optional<std::string> updated_by;
  std::optional<std::vector<std::string>> tags;          ///< unique
  std::optional<std::vector<std::string>> cross_cutting; ///< unique, 11 words

  bool operator==(const metadata&) const = default;
};

/// A span reference (common/trace-base.schema.json). All ids are v4 UUIDs.
struct trace_base {
  std::string trace_id;
  std::string span_id;
  std::optional<std::string> parent_span_id;
  std::optional<std::string> context_id;
  std::optional<json::object> attributes;

  bool operator==(const trace_base&) const = default;
};

/// The small event embedded in module objects (common/events.schema.json).
struct base_event {
  std::string event_id;
  std::string event_type; ///< dotted lower-case words
  std::string source;
  std::string timestamp; ///< date-time
  std::optional<std::string> trace_id;
  std::optional<json::value> data; ///< an object or null

  bool operator==(const base_event&) const = default;
};

/// The ten modules of the protocol.
enum class module : std::uint8_t {
  context,
  plan,
  confirm,
  trace,
  role,
  extension,
  dialog,
  collab,
  core,
  network
};
CONVENE_WORDS(module, "context", "plan", "confirm", "trace", "role",
              "extension", "dialog", "collab", "core", "network");

/// A reference to a module object (common-types.schema.json, `Ref`).
struct module_ref {
  std::string id;
  protocol::module module = protocol::module::context;
  std::optional<std::string> description;

  bool operator==(const module_ref&) const = default;
};

/// `governance` of every module but Plan.
struct governance {
  std::optional<std::string> lifecycle_phase; ///< `lifecyclePhase`
  std::optional<std::string> truth_domain;    ///< `truthDomain`
  std::optional<bool> locked;
  std::optional<module_ref> last_confirm_ref; ///< `lastConfirmRef`

  bool operator==(const governance&) const = default;
};

} // namespace convene::protocol
