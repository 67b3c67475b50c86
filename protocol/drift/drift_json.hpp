#pragma once

#include <boost/json/object.hpp>
#include <convene/protocol/base/error.hpp>
#include <convene/protocol/base/uuid.hpp>
#include <convene/protocol/drift/drift.hpp>
#include <convene/protocol/events/core_events.hpp>

#include <optional>

namespace convene::protocol {

/// {drift_type, severity, path, new_path, node, expected, actual, at}; states
/// are {exists, sha256, bytes}. Empty texts are left out.
[[nodiscard]] json::object to_json(const drift_record& record);

/// What was recorded of the files below a folder.
struct drift_baseline {
  std::string folder; ///< as it was named
  timestamp_ms at = 0;
  bool whole = false; ///< a file that is not among the artifacts was not there
  std::vector<std::string> excluded; ///< patterns of names that were left out
  std::string commit;                ///< of the repository there; empty: none
  std::vector<artifact> artifacts;
};

/// {format: 1, folder, at, whole, excluded, commit, artifacts: [{path, node,
/// expected}]}, artifacts in the order of their paths.
[[nodiscard]] json::object to_json(const drift_baseline& baseline);

/// Reads one. Rules of what it refuses: `type`, `required`, `pattern` (times,
/// hashes and paths), `drift_format`, each with its pointer.
[[nodiscard]] result<drift_baseline> read_baseline(const json::object& from);

/// Whether a document is meant as one.
[[nodiscard]] bool is_baseline(const json::object& document) noexcept;

/// A record that was opened, changed or closed as a core event of the family
/// external_integration: `drift_detected`, or for a closed one
/// `drift_resolved`.
[[nodiscard]] struct core_event drift_event(drift_change how,
                                            const drift_record& record, uuid id,
                                            timestamp_ms at);

/// What such an event says: the record, and whether it is open. Nothing: it is
/// an event of another type.
struct told_drift {
  bool open = false;
  drift_record record;
};
[[nodiscard]] result<std::optional<told_drift>>
read_drift_event(const json::object& event);

} // namespace convene::protocol
