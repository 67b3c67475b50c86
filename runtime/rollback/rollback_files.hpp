#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/runtime/data/project_folder/project_folder.hpp>
#include <convene/runtime/rollback/rollback_record.hpp>

#include <string>
#include <utility>
#include <vector>

namespace convene::host {

/// What restoring files did.
struct restored_files {
  /// Files that are as they were at the stage, and where what was there is
  /// kept; empty: there was nothing.
  std::vector<std::pair<std::string, std::string>> restored;
  /// Resources of type `file` that are no text, by their ids.
  std::vector<std::string> skipped;
  std::vector<protocol::error> errors; ///< files that could not be restored
};

/// Makes the files that the run wrote what they were at the stage of this
/// place; those that it made later are removed. What is there is kept below
/// `kept_folder`; files that are as they were stay untouched.
[[nodiscard]] protocol::result<restored_files>
restore_files(const rollback_record& of, std::size_t place,
              const project_folder& folder, protocol::timestamp_ms now);

} // namespace convene::host
