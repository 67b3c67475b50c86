#pragma once

#include <convene/cli/common/options.hpp>

#include <string>
#include <vector>

namespace convene::cli {

/// The names that `convene export --format` knows.
[[nodiscard]] std::vector<std::string> export_formats();

/// Writes the log or document at `path` in that form: into the folder `out`,
/// which must be new or empty, or if that is empty, to standard output. Returns
/// the exit code.
[[nodiscard]] int export_format(const std::string& format,
                                const std::string& path, const std::string& out,
                                const common_options& common);

} // namespace convene::cli
