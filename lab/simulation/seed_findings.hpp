#pragma once

#include <convene/protocol/checks/event_check.hpp>

#include <cstddef>
#include <utility>
#include <vector>

namespace convene::host {

/// What is wrong with one seed.
struct seed_findings {
  static constexpr std::size_t kept_max = 10;

  std::vector<protocol::finding> first; ///< at most `kept_max`
  std::size_t total = 0;

  void add(protocol::finding found) {
    if (++total <= kept_max)
      first.push_back(std::move(found));
  }
};

} // namespace convene::host
