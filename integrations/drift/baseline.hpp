#pragma once

#include <convene/integrations/drift/drift_check.hpp>
#include <convene/protocol/drift/drift_json.hpp>

#include <filesystem>
#include <utility>
#include <vector>

namespace convene::host {

/// Files as they are now, and what could not be taken.
struct taken_baseline {
  protocol::drift_baseline baseline;
  std::vector<std::pair<std::string, std::string>> skipped;
  std::vector<protocol::error> errors;
};

/// What the files of `known` hold, or with `scope.whole` all files below the
/// folder. A known file that cannot be looked at stays as it was known.
[[nodiscard]] protocol::result<taken_baseline>
take_baseline(const project_folder& folder, const tracked_files& known,
              const drift_scope& scope, protocol::timestamp_ms at);

/// Replaces the file, or leaves it as it was. The folder is written as seen
/// from the file, so both can be moved together. Rule `document_bytes_max`: it
/// would be too large to be read.
[[nodiscard]] protocol::result<void>
write_baseline(const std::filesystem::path& file, protocol::drift_baseline what,
               const std::filesystem::path& folder);

/// Of these files, those that are below the folder, by their paths there.
[[nodiscard]] std::set<std::string, std::less<>>
paths_below(const std::filesystem::path& folder,
            const std::vector<std::filesystem::path>& files);

} // namespace convene::host
