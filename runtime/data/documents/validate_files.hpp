#pragma once

#include <convene/protocol/invariants/rule_set.hpp>
#include <convene/runtime/data/documents/check_text.hpp>

#include <filesystem>
#include <functional>
#include <vector>

namespace convene::host {

/// What to validate, and against what.
struct validation_request {
  /// Documents, JSON Lines files, and folders with such files.
  std::vector<std::filesystem::path> paths;
  std::string schema;  ///< any of its names; empty: guessed for each document
  bool strict = false; ///< only the protocol's schemas, to the letter
  /// Null: none. The documents of a folder are checked against each other,
  /// its JSON Lines files are one log in the order of their names.
  const protocol::rule_set* rules = nullptr;
  /// Whether the log of a folder ends in the middle for good, so that nothing
  /// is asked of what is open there. Empty: none does.
  std::function<bool(const std::filesystem::path& folder)> rests = {};
};

/// Called after each file.
using verdict_visitor = std::function<void(const file_verdict&)>;

/// Validates every file. Documents of unknown kind are skipped in a folder; in
/// a file named explicitly, they are an error. Fails if something cannot be
/// read, or if no embedded schema has the name `schema`.
[[nodiscard]] protocol::result<void>
validate_files(const validation_request& request, const verdict_visitor& visit);

} // namespace convene::host
