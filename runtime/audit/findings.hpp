#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/protocol/checks/event_check.hpp>
#include <convene/protocol/documents/common.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace convene::host {

/// A finding with the file it is in.
struct placed_finding {
  std::string file;
  std::size_t line = 0; ///< 0: none
  protocol::finding what;
};

/// An error that has a place, as a finding.
[[nodiscard]] placed_finding place_finding(const protocol::error& what);

[[nodiscard]] protocol::json::array
to_json(const std::vector<placed_finding>& all);

} // namespace convene::host
