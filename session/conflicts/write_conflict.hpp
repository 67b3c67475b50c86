#pragma once

#include <convene/session/options/application_strategy.hpp>
#include <convene/session/workspace/workspace.hpp>
#include <convene/session/workspace/write.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace convene::session {

/// A write whose base version is no longer current: the versions it is unaware
/// of, and their authors. Versions replaced before are not included: their
/// authors have been notified.
struct write_conflict {
  resource_version base;    ///< null: there was none
  resource_version current; ///< never null
  /// Whether every version since the base is still retained. Otherwise it could
  /// not be reported what an override removes, so the first write is kept.
  bool traced = false;
  std::vector<std::uint64_t> versions; ///< since the base, oldest first
  std::vector<author> authors;         ///< of those, each participant once
};

[[nodiscard]] write_conflict find_write_conflict(const workspace& of,
                                                 const resource_name& what,
                                                 std::uint64_t base_version);

/// Whether anybody but the writer has written since the base.
[[nodiscard]] bool has_opponents(const write_conflict& what,
                                 std::uint32_t writer) noexcept;

struct resolution {
  resolution_kind outcome = resolution_kind::keep;
  conflict_strategy strategy = conflict_strategy::first_write_wins;
  std::string reason;                ///< a sentence
  std::optional<json::value> joined; ///< with outcome `join`
};

/// Applies a strategy and its fallbacks. `rank` is the writer's, `rank_against`
/// the highest of the opposing authors'; `made` is the result of the write on
/// its base. Not for `application` (application_ruling.hpp). Pure.
[[nodiscard]] resolution settle(conflict_strategy by,
                                const write_conflict& what, const written& made,
                                std::int64_t rank, std::int64_t rank_against);

/// Decides a tied vote: by rank, and if those are equal, too, by escalation.
[[nodiscard]] resolution settle_tie(const write_conflict& what,
                                    std::int64_t rank,
                                    std::int64_t rank_against);

} // namespace convene::session
