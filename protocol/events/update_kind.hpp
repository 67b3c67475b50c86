#pragma once

#include <convene/protocol/base/words.hpp>

#include <cstdint>

namespace convene::protocol {

/// What a change does to the project graph (mplp-graph-update-event).
enum class update_kind : std::uint8_t {
  node_add,
  node_update,
  node_delete,
  edge_add,
  edge_update,
  edge_delete,
  bulk
};
CONVENE_WORDS(update_kind, "node_add", "node_update", "node_delete", "edge_add",
              "edge_update", "edge_delete", "bulk");

} // namespace convene::protocol
