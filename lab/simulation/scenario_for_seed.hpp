#pragma once

#include <boost/json/object.hpp>
#include <convene/lab/simulation/run_seed.hpp>
#include <convene/protocol/base/error.hpp>
#include <convene/protocol/base/uuid.hpp>
#include <convene/runtime/data/scenario/reusable_scenario.hpp>
#include <convene/runtime/outside/permissions/permissions.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace convene::host {

/// The ids that a seed's scenario draws: other than the runtime's, which draws
/// its own from the same seed.
[[nodiscard]] inline protocol::uuid_source ids_for_seed(std::uint64_t seed) {
  return protocol::uuid_source{~seed};
}

/// A scenario that is loaded for many seeds.
struct scenario_input {
  std::string path;
  /// Instead of the path: with all documents embedded. It names no file.
  std::optional<boost::json::object> given;
  std::vector<std::string> overrides; ///< key=value
  bool strict = false;
};

/// For a scenario whose files were looked at when it was loaded.
[[nodiscard]] inline protocol::result<void>
allow_all_files(permissions& allowed) {
  return allowed.allow("read=/");
}

/// The scenario as `convene run --seed` with these options has it, approved as
/// it does by default. `notes` may be null.
[[nodiscard]] protocol::result<seeded_scenario>
scenario_for_seed(const scenario_input& from, std::uint64_t seed,
                  std::vector<source_note>* notes = nullptr);

/// A scenario that is read once. Their notes have been given by
/// `scenario_for_seed`.
[[nodiscard]] protocol::result<reusable_scenario>
read_once(const scenario_input& from);

/// The same for a scenario that has been read.
[[nodiscard]] protocol::result<seeded_scenario>
scenario_for_seed(const reusable_scenario& from, std::uint64_t seed,
                  bool strict);

/// A resolved scenario for a seed, as its file would be read.
[[nodiscard]] protocol::result<seeded_scenario>
scenario_for_seed(const boost::json::object& resolved, std::uint64_t seed,
                  bool strict);

} // namespace convene::host
