#pragma once

#include <convene/protocol/base/words.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace convene::session {

/// How two incompatible writes of one resource are resolved (MPLP profiles
/// 2.6).
enum class conflict_strategy : std::uint8_t {
  hierarchy,        ///< the higher rank stands; equal: the first write does
  voting,           ///< the others are asked; a tie: hierarchy, then escalation
  last_write_wins,  ///< the later write stands
  first_write_wins, ///< the earlier write stands
  merge,            ///< both, in different members; else hierarchy
  escalation,       ///< the orchestrator or a person decides
  application,      ///< a function of the application; application_strategy.hpp
};

/// Ranks range from minus to plus this.
inline constexpr std::int64_t rank_max = 1'000'000;

/// `session.conflicts` of a scenario.
struct conflict_options {
  conflict_strategy strategy = conflict_strategy::hierarchy;
  /// By participant_id, role_id or the Role's name, looked up in this order.
  /// Others have rank 0.
  std::map<std::string, std::int64_t> ranks;
  std::map<std::string, conflict_strategy> by_resource_type;
  /// The application's strategy, if one of the strategies is `application`.
  std::optional<std::string> name = {};

  [[nodiscard]] conflict_strategy strategy_for(std::string_view type) const {
    const auto found = by_resource_type.find(std::string{type});
    return found == by_resource_type.end() ? strategy : found->second;
  }

  bool operator==(const conflict_options&) const = default;
};

} // namespace convene::session

namespace convene::protocol {

using session::conflict_strategy;
CONVENE_WORDS(conflict_strategy, "hierarchy", "voting", "last-write-wins",
              "first-write-wins", "merge", "escalation", "application");

inline constexpr other_word other_conflict_strategies[]
  = {{"LWW", "last-write-wins"},
     {"lww", "last-write-wins"},
     {"timestamp", "last-write-wins"},
     {"last_write_wins", "last-write-wins"},
     {"FWW", "first-write-wins"},
     {"fww", "first-write-wins"},
     {"first_write_wins", "first-write-wins"},
     {"vote", "voting"},
     {"escalate", "escalation"}};
template <>
inline constexpr std::span<const other_word> other_words_of<conflict_strategy>{
  other_conflict_strategies};

} // namespace convene::protocol
