#pragma once

#include <boost/json/object.hpp>
#include <convene/cli/common/options.hpp>
#include <convene/integrations/git/repository.hpp>

#include <string>

namespace convene::cli {

/// Whether a repository is not as it was at the commit.
[[nodiscard]] bool differs(const host::git_drift& repository);

/// {since, head, ref, moved, changes: [{where, drift_type, path, new_path}]}.
[[nodiscard]] boost::json::object to_json(const host::git_drift& repository);

/// A line for where HEAD is, and one for each change.
[[nodiscard]] std::string repository_text(const host::git_drift& repository);

/// Writes that and nothing else. Returns the exit code.
[[nodiscard]] int show(const host::git_drift& repository,
                       const common_options& common);

} // namespace convene::cli
