#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/protocol/drift/drift.hpp>

#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace convene::host {

/// Files that a run or a baseline knows.
struct tracked_files {
  std::vector<protocol::artifact> artifacts;
  /// By path, what a run wrote; a baseline has hashes alone.
  std::map<std::string, std::string, std::less<>> contents;
  bool is_baseline = false;
  bool whole = false; ///< files that are not tracked were not there
  std::string folder; ///< of a baseline, as seen from where we are
  std::vector<std::string> excluded; ///< of a baseline
  std::string commit;                ///< of a baseline
  /// Resources that are no files, by what names them, and why.
  std::vector<std::pair<std::string, std::string>> skipped;
  std::vector<protocol::error> errors; ///< resources that cannot be files
};

/// Reads what a run knows: the resources of type `file` of its workspace, by
/// the folder of the run or by its `workspace.json`, as of when that file was
/// written; or a baseline. Resources whose ids are no paths below a folder are
/// among `errors`; a file that is neither is an error of its own.
[[nodiscard]] protocol::result<tracked_files>
load_tracked(const std::filesystem::path& path);

} // namespace convene::host
