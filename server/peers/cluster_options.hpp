#pragma once

#include <convene/server/http/listen_options.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace convene::server {

/// How the nodes of a cluster reach each other: by mutual TLS.
struct peer_options {
  std::string address; ///< to listen at; the other nodes reach it there
  std::uint16_t port = 0;
  /// Of this node; `client_ca` signs the certificates of all nodes.
  tls_files tls;
};

/// A server that is a node of a cluster (docs/cluster.md).
struct cluster_options {
  std::string database; ///< the URL of the cluster's PostgreSQL database
  std::string node;     ///< the name of this node
  /// The id of this start of it; unset: its name is enough.
  std::function<std::string()> boot_id = {};
  std::optional<peer_options> peers; ///< unset: nodes do not reach each other
  /// Whether participants of other nodes' sessions may run here, under this
  /// node's permissions. Needs `peers`.
  bool hosts_participants = false;
};

} // namespace convene::server
