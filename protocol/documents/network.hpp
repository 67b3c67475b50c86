#pragma once

#include <convene/protocol/documents/common.hpp>

namespace convene::protocol {

enum class topology_type : std::uint8_t {
  single_node,
  hub_spoke,
  mesh,
  hierarchical,
  hybrid,
  other
};
CONVENE_WORDS(topology_type, "single_node", "hub_spoke", "mesh", "hierarchical",
              "hybrid", "other");

enum class network_status : std::uint8_t {
  draft,
  provisioning,
  active,
  degraded,
  maintenance,
  retired
};
CONVENE_WORDS(network_status, "draft", "provisioning", "active", "degraded",
              "maintenance", "retired");

enum class node_kind : std::uint8_t {
  agent,
  service,
  database,
  queue,
  external,
  other
};
CONVENE_WORDS(node_kind, "agent", "service", "database", "queue", "external",
              "other");

enum class node_status : std::uint8_t {
  active,
  inactive,
  degraded,
  unreachable,
  retired
};
CONVENE_WORDS(node_status, "active", "inactive", "degraded", "unreachable",
              "retired");

/// One node of a network.
struct network_node {
  std::string node_id; ///< v4 UUID, unique in the Network
  std::optional<std::string> name;
  node_kind kind = node_kind::agent;
  std::optional<std::string> role_id;
  node_status status = node_status::active;

  bool operator==(const network_node&) const = default;
};

/// The nodes of a deployment (mplp-network.schema.json).
struct network {
  metadata meta;
  std::optional<protocol::governance> governance;
  std::string network_id; ///< v4 UUID
  std::string context_id; ///< v4 UUID
  std::string name;       ///< not empty
  std::optional<std::string> description;
  protocol::topology_type topology_type = protocol::topology_type::single_node;
  network_status status = network_status::draft;
  std::optional<std::vector<network_node>> nodes;
  std::optional<trace_base> trace;
  std::optional<std::vector<base_event>> events;

  bool operator==(const network&) const = default;
};

} // namespace convene::protocol
