#pragma once

#include <convene/runtime/data/cluster/cluster_node.hpp>

#include <string>

namespace convene::server {

/// Which node may have something.
struct wanted_node {
  std::string name;  ///< empty: any
  std::string label; ///< "gpu" or "gpu=yes"; empty: any

  [[nodiscard]] bool admits(const host::node_description& one) const {
    if (!name.empty() && one.name != name)
      return false;
    const auto is = label.find('=');
    const auto found = one.labels.find(label.substr(0, is));
    return label.empty()
           || (found != one.labels.end()
               && (is == label.npos || found->second == label.substr(is + 1)));
  }
};

} // namespace convene::server
