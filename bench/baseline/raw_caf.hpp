#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace convene::bench {

/// The shapes of talk that every figure is compared in.
enum class workload : std::uint8_t {
  round_robin,  ///< one session asks 8 participants in turn
  broadcast,    ///< one session asks 64 at once and waits for all
  pair,         ///< one session asks 2 in turn
  orchestrated, ///< it asks an orchestrator whom to ask, each time
  swarm,        ///< it has all 8 busy at once
  sessions,     ///< 1,000 times round_robin at once
};

inline constexpr std::array<std::string_view, 6> workload_names{
  "round_robin", "broadcast", "pair", "orchestrated", "swarm", "sessions"};

inline constexpr std::array<workload, 6> workloads{
  workload::round_robin,  workload::broadcast, workload::pair,
  workload::orchestrated, workload::swarm,     workload::sessions};

/// What the machine can do: turns per second of stock CAF, where actors send
/// each other the messages of the workload, with a short text each, and nothing
/// else happens: no tokens, events or log. A broadcast counts one turn for each
/// receiver. Runs at least `turns` turns; starting and stopping the actors is
/// not in the time.
[[nodiscard]] double raw_turns_per_second(workload which, std::uint64_t turns,
                                          std::size_t threads);

} // namespace convene::bench
