#pragma once

#include <convene/protocol/error.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace convene::host {

/// Something wrong with a document, and where. Also for text that is no JSON
/// (keyword `json`), documents of no known kind (`schema`) and those that take
/// too long (`limit`).
struct placed_violation {
  std::string instance; ///< JSON pointer into the document
  std::string schema_path;
  std::string keyword;
  std::string message;
  std::size_t line = 0;   ///< 1-based
  std::size_t column = 0; ///< 1-based, in bytes
};

/// Violations that are kept of one file; more are only counted.
inline constexpr std::size_t violations_kept = 1'000;

/// What validation found in one file.
struct file_verdict {
  std::string file;
  std::string schema;          ///< its name; of a log, that of the first event
  std::size_t documents = 0;   ///< those that were validated
  std::size_t passed_over = 0; ///< those of no known kind that were not
  std::size_t errors_total = 0;
  std::vector<placed_violation> errors; ///< the first ones

  [[nodiscard]] bool valid() const noexcept {
    return errors_total == 0;
  }
};

/// What to validate against.
struct validation_rules {
  std::string schema; ///< any of its names; empty: guessed for each document
  /// What looks like no known kind: an error, or to be passed over.
  bool unknown_is_error = true;
};

/// Validates the text of one document: JSON, or what a scenario file may have.
/// A `$comment` at its top does not count. Fails only if `rules.schema` is not
/// there.
[[nodiscard]] protocol::result<void>
check_document(std::string_view text, const validation_rules& rules,
               file_verdict& out);

/// Validates line `number` of an event log or another JSON Lines file. Empty
/// lines, `log_opened` and `log_group` are passed over.
[[nodiscard]] protocol::result<void>
check_line(std::string_view line, std::size_t number,
           const validation_rules& rules, file_verdict& out);

} // namespace convene::host
