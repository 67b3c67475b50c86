#pragma once

#include <convene/cli/common/options.hpp>
#include <convene/integrations/drift/baseline.hpp>
#include <convene/integrations/drift/drift_check.hpp>
#include <convene/integrations/drift/file_updates.hpp>
#include <convene/integrations/git/repository.hpp>
#include <convene/protocol/base/error.hpp>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace convene::cli {

/// What `convene drift` did and found, apart from what the check itself knows.
struct drift_report {
  const host::drift_check& check;
  const host::tracked_files& tracked;
  std::size_t resolved = 0; ///< records that were closed
  /// Paths that were written or removed, and where what was there is now.
  std::vector<std::pair<std::string, std::string>> reconciled;
  std::string recorded; ///< where files were recorded
  std::optional<host::file_updates> updates;
  std::optional<std::uint64_t> overflows; ///< of a watch
  std::optional<host::git_drift> repository;
  std::vector<protocol::error> errors; ///< of what was asked for besides
};

/// Writes it as text or as one JSON document. Returns the exit code: whether
/// there is drift; if there is none, whether everything could be compared.
[[nodiscard]] int show(const drift_report& what, const common_options& common);

/// The same for files that were recorded without being compared.
[[nodiscard]] int show_recorded(const host::taken_baseline& taken,
                                const std::string& file,
                                const common_options& common);

} // namespace convene::cli
