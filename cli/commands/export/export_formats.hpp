#pragma once

#include <convene/cli/common/options.hpp>

#include <string>
#include <vector>

namespace convene::cli {

/// The names that `convene export --format` knows.
[[nodiscard]] std::vector<std::string> export_formats();

/// What `convene export --format` is to do.
struct format_order {
  std::string format;
  std::string path;   ///< of the log or document
  std::string out;    ///< a folder, new or empty; empty: standard output
  bool scrub = false; ///< for `learning`: no text, no names
};

/// Writes the log or document in that form. Returns the exit code.
[[nodiscard]] protocol::result<int> export_format(const format_order& order,
                                                  const common_options& common);

} // namespace convene::cli
