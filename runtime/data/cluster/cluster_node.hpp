#pragma once

#include <convene/protocol/base/error.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace convene::host {

/// How a node presents itself. Names and values of labels, and its own name:
/// 1 to 63 letters, digits, dots, hyphens and underscores.
struct node_description {
  std::string name;
  std::string version; ///< of the program
  std::string address; ///< a URL; empty: it does not serve
  /// The URL at which other nodes reach it, with mutual TLS; empty: they do
  /// not.
  std::string peer_address = {};
  std::map<std::string, std::string> labels;

  static constexpr std::size_t labels_max = 32;
  static constexpr std::size_t address_bytes_max = 512;
};

/// Checks its form; `node_description` otherwise.
[[nodiscard]] protocol::result<void>
check_description(const node_description& of);

/// "gpu=yes,zone=b", as `--labels` has it.
[[nodiscard]] protocol::result<std::map<std::string, std::string>>
read_labels(std::string_view text);

/// SHA-256 of all embedded schemas, in hexadecimal: nodes with the same one
/// accept the same documents.
[[nodiscard]] const std::string& embedded_schemas_hash();

/// What a node reports with each renewal of its lease.
struct node_state {
  std::string address;           ///< as in `node_description`
  std::string peer_address = {}; ///< likewise
  std::int64_t sessions = 0;     ///< that have not ended
};

/// A node, as others see it.
struct cluster_node {
  std::string boot_id; ///< of this start of it, a UUID
  node_description is;
  std::string schemas;         ///< its `embedded_schemas_hash`
  std::int64_t started_ms = 0; ///< Unix time
  /// Until its lease lapses; negative: since it has.
  std::chrono::milliseconds lease{0};
  std::int64_t sessions = 0; ///< as it reported last
  bool has_sessions = false; ///< also ended ones, of any start of it
};

} // namespace convene::host
