#pragma once

#include <convene/session/options/conflict_options.hpp>
#include <convene/session/workspace/workspace.hpp>
#include <convene/session/workspace/write.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace convene::session {

/// A write whose base version is no longer the one that stands: which versions
/// it does not know of, and whose they are. Versions that have been replaced
/// before are not among them: whoever wrote them has been told.
struct write_conflict {
  resource_version base;    ///< null: there was none
  resource_version current; ///< never null
  /// Whether every version since the base is still kept. Otherwise nobody
  /// could be told what an override takes away, so the first write stands.
  bool traced = false;
  std::vector<std::uint64_t> versions; ///< since the base, oldest first
  std::vector<author> authors;         ///< of those, each participant once
};

[[nodiscard]] write_conflict find_write_conflict(const workspace& of,
                                                 const resource_name& what,
                                                 std::uint64_t base_version);

/// Whether somebody else than the writer has written since the base.
[[nodiscard]] bool has_opponents(const write_conflict& what,
                                 std::uint32_t writer) noexcept;

/// What becomes of a write that conflicts.
enum class resolution_kind : std::uint8_t {
  keep,    ///< what stands stays, the write is lost
  replace, ///< the write replaces what stands
  join,    ///< both stand
  ask,     ///< somebody has to be asked: voting, escalation
};

struct resolution {
  resolution_kind outcome = resolution_kind::keep;
  conflict_strategy strategy = conflict_strategy::first_write_wins;
  std::string_view reason;           ///< a sentence
  std::optional<json::value> joined; ///< with outcome `join`
};

/// Applies a strategy and those that it falls back to. `rank` is the writer's,
/// `rank_against` the highest of those it is up against; `made` is what the
/// write makes of its base. Pure.
[[nodiscard]] resolution settle(conflict_strategy by,
                                const write_conflict& what, const written& made,
                                std::int64_t rank, std::int64_t rank_against);

/// What decides where votes are equal: the ranks, and if those are too, an
/// escalation.
[[nodiscard]] resolution settle_tie(const write_conflict& what,
                                    std::int64_t rank,
                                    std::int64_t rank_against);

} // namespace convene::session
