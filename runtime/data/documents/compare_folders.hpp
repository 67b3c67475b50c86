#pragma once

#include <convene/protocol/compare/compare.hpp>
#include <convene/runtime/data/documents/validate_files.hpp>
#include <convene/runtime/data/scenario/locate.hpp>

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace convene::host {

/// A difference and its place in the actual file; the file's beginning if it
/// has no place there.
struct placed_difference {
  protocol::difference what;
  text_place at;
};

/// How a file of the expected folder compares with the actual one.
struct file_comparison {
  std::string file;                           ///< below both folders
  std::vector<placed_difference> differences; ///< the first ones
  std::size_t differences_total = 0;
  file_verdict verdict; ///< of the actual file, by schema and rules

  [[nodiscard]] bool good() const noexcept {
    return differences_total == 0 && verdict.valid();
  }
};

/// Called for each file of the expected folder.
using comparison_visitor = std::function<void(const file_comparison&)>;

/// Compares the JSON and JSON Lines files below `expected` with those of the
/// same names below `actual`, which may have more, and validates the latter.
/// Fails if something cannot be read, if an expected file is not JSON, or if
/// nothing is expected.
[[nodiscard]] protocol::result<void>
compare_folders(const std::filesystem::path& expected,
                const std::filesystem::path& actual,
                const protocol::rule_set& rules,
                const comparison_visitor& visit);

} // namespace convene::host
