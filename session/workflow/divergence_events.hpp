#pragma once

#include <convene/protocol/workflow/run_payloads.hpp>

#include <cstddef>
#include <optional>
#include <vector>

namespace convene::session {

/// A divergence, and the event of the fork that it comes before.
struct placed_divergence {
  std::size_t place = 0;
  protocol::replay_diverged what;
};

/// The first place where a replay's events, of which some are inherited, are
/// others than those recorded.
[[nodiscard]] std::optional<placed_divergence>
find_divergence(const std::vector<protocol::run_event>& recorded,
                const std::vector<protocol::run_event>& again,
                std::size_t inherited);

/// The events with the divergences among them, numbered anew. None comes before
/// the first event.
[[nodiscard]] std::vector<protocol::run_event>
insert_divergences(std::vector<protocol::run_event> events,
                   std::vector<placed_divergence> all);

} // namespace convene::session
