#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/protocol/conversation/turn_schema.hpp>
#include <convene/protocol/workflow/node_config.hpp>

#include <map>

namespace convene::protocol {

/// What a type of node needs of its host.
inline constexpr std::string_view conversation_primitive
  = "conversationPrimitive";

/// A node, and what follows from the edges.
struct workflow_node {
  std::optional<node_type> kind;    ///< absent: of a type that is unknown
  node_config config;               ///< of a known kind
  std::vector<std::size_t> sources; ///< places of those before it
  std::vector<std::size_t> targets; ///< of those after it
  trigger_rule rule = trigger_rule::all_success;
};

/// A definition that was checked.
struct workflow {
  workflow_definition definition;
  std::vector<workflow_node> nodes; ///< in the order of the definition
  /// Those that are declared, and those that nodes write to besides.
  std::map<std::string, channel_definition, std::less<>> channels;
  std::optional<turn_schema> configurable;
  std::string digest; ///< SHA-256 of the definition, its members in order

  /// The place of a node.
  [[nodiscard]] std::optional<std::size_t> find(std::string_view node_id) const;
  /// Whether it declares a variable.
  [[nodiscard]] bool has_variable(std::string_view name) const;
  [[nodiscard]] const std::string& id_of(std::size_t node) const {
    return definition.nodes[node].id;
  }

  std::map<std::string, std::size_t, std::less<>> by_id;
};

/// Reads a definition and checks it. Rules besides the schema's keywords:
/// the bounds of limits.hpp; `unique_node_id`, `unique_edge_id`,
/// `unique_edge`, `unique_variable`; `known_node` and `no_cycle` of edges;
/// `trigger_rule` if the edges of a node differ; `known_variable`, `input` and
/// `input_order` of inputs; `orchestrator_agent` and `supervisor_missing` of
/// orchestrators; `variable_type` of defaults; `reducer` and
/// `known_channel` of channels; and with errc::unsupported what would have to
/// be ignored: `input_expression`, `edge_condition`, `channel_access`. The
/// faults of a config or a schema point into it.
[[nodiscard]] result<workflow> read_workflow(const json::value& from,
                                             std::string_view pointer = "");

/// Whether a variable of this type may have the value. Types that are unknown
/// take any.
[[nodiscard]] bool fits_variable(std::string_view type,
                                 const json::value& value) noexcept;

/// Whether a run may be configured like this: rule `configurable` with the
/// place.
[[nodiscard]] result<void> check_configurable(const workflow& of,
                                              const json::object& given);

/// What a host lacks to run a workflow.
struct missing_capability {
  std::string capability;
  std::string type_id;
  std::string node_id;
  std::string pointer; ///< into the definition
};

/// Whether a workflow can be registered by a host that has, or lacks, the
/// conversation primitive.
[[nodiscard]] std::optional<missing_capability>
find_missing_capability(const workflow& of, bool has_conversations);

/// The first node of a type that is unknown, and what it would need.
[[nodiscard]] std::optional<missing_capability>
find_unknown_type(const workflow& of);

} // namespace convene::protocol
