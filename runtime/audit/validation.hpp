#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/protocol/invariants/rule_set.hpp>
#include <convene/runtime/data/documents/validate_files.hpp>

#include <filesystem>
#include <string>
#include <vector>

namespace convene::host {

/// The invariants that were asked for, by names of sets and ids of rules;
/// without names, those for any document.
[[nodiscard]] protocol::result<protocol::rule_set>
choose_rules(const std::vector<std::string>& names);

/// What `convene validate` is given.
struct validation_wish {
  std::vector<std::filesystem::path> paths; ///< at least one
  std::string schema; ///< any of its names; empty: guessed for each document
  bool strict = false;
  bool invariants = false;        ///< also with `rules`
  std::vector<std::string> rules; ///< names of sets and of single rules
};

/// Whether nothing in the file was looked at.
[[nodiscard]] bool is_passed_over(const file_verdict& file);

/// Validates the files, those passed over, too. Fails if no file has a document
/// of a known kind.
[[nodiscard]] protocol::result<void>
validate_paths(const validation_wish& what, const verdict_visitor& visit);

/// A file of `convene validate --json`; with what `--invariants` adds.
[[nodiscard]] protocol::json::object to_json(const file_verdict& file,
                                             bool invariants);

} // namespace convene::host
