#pragma once

#include <convene/protocol/checks/event_check.hpp>
#include <convene/runtime/setup.hpp>
#include <convene/runtime/simulation/seed_log.hpp>
#include <convene/runtime/simulation/seed_measures.hpp>

#include <cstddef>
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

/// Judges the events of a session that has ended, as `convene check` does: by
/// the rules for logs, by replay (rule `recomputed`), and by the workspace that
/// they add up to (`workspace_matches_log`). A finding's line counts events.
/// `meter` is fed with all of them.
void check_seed(const seed_log& log, const session_result& ended,
                seed_findings& found, seed_meter& meter);

} // namespace convene::host
