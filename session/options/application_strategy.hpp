#pragma once

#include <boost/json/value.hpp>
#include <convene/protocol/base/api.hpp>
#include <convene/protocol/base/error.hpp>
#include <convene/session/options/conflict_options.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace convene::session {

/// How many strategies an application can add.
inline constexpr std::size_t own_strategies_max = 64;

/// A write whose base version is no longer current, as a strategy of the
/// application sees it.
struct contested_write {
  std::string_view resource_type;
  std::string_view resource_id;
  const boost::json::value* base = nullptr;    ///< null: there was none
  const boost::json::value* current = nullptr; ///< null: it was deleted
  const boost::json::value* later = nullptr;   ///< null: the write deletes
  std::uint64_t base_version = 0;
  std::uint64_t current_version = 0;
  std::string_view writer;         ///< of the later value
  std::string_view current_writer; ///< empty: it was there at the start
  std::int64_t rank = 0;           ///< of the writer
  std::int64_t rank_against = 0;   ///< the highest on the other side
};

/// The outcome of a conflicting write.
enum class resolution_kind : std::uint8_t {
  keep,    ///< the current version stays, the write is lost
  replace, ///< the write replaces the current version
  join,    ///< both are kept
  ask,     ///< others must be asked: voting, escalation
};

/// What a strategy of the application decides.
struct conflict_ruling {
  resolution_kind outcome = resolution_kind::keep;
  std::string reason; ///< a sentence for the log; at most 1 KiB
  std::optional<boost::json::value> joined = {}; ///< with `join`: the new value
  /// With `ask`: voting or escalation.
  conflict_strategy asked_by = conflict_strategy::voting;
};

/// A conflict strategy of the application. `settle` must be a pure function: a
/// recovered session calls it again with the same conflicts. If it throws, or
/// its ruling is invalid, the first write stands, and the log has the reason.
struct application_strategy {
  std::string_view name;
  std::string_view summary;
  conflict_ruling (*settle)(const contested_write& what) = nullptr;
};

/// Adds a strategy of the application. Scenarios use it by `"conflicts":
/// {"strategy": "application", "name": ...}`. It holds for the whole process,
/// since logs are replayed and checked without a runtime, and until its end:
/// `own` must be a constant. Add it before anything opens a log that names it.
/// Thread-safe.
///
/// Rules of errors: the name is not 1 to 64 lower-case letters, digits and _
/// (`strategy_name`), or it is taken (`strategy_exists`); `settle` is null
/// (`strategy_settles`); there are `own_strategies_max` already
/// (`strategies_max`).
[[nodiscard]] CONVENE_API protocol::result<void>
add_strategy(const application_strategy& own);

/// The strategy that was added by this name, or null. Thread-safe.
[[nodiscard]] CONVENE_API const application_strategy*
find_strategy(std::string_view name) noexcept;

/// Whether the strategy that the options name is there; `known_strategy` if
/// not, with the names that are.
[[nodiscard]] protocol::result<void>
check_strategy(const conflict_options& options);

} // namespace convene::session
