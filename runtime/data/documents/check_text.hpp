#pragma once

#include <convene/protocol/base/error.hpp>

#include <cstddef>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace convene::host {

/// The rule of keyword `invariant`.
struct placed_rule {
  std::string id;    ///< empty: not an invariant
  std::string scope; ///< the kind of document it applies to
  std::string path;  ///< as rules write it: `steps[3].step_id`
  std::string value; ///< the value found, shortened; empty: none
  std::vector<std::string> demanded_by;
};

/// A fault of a document and its place. Also for text that cannot be read
/// (keyword `json` or `yaml`), documents of unknown kind (`schema`), those that
/// take too long
/// (`limit`) and rules between documents (`invariant`).
struct placed_violation {
  std::string instance; ///< JSON pointer into the document
  std::string schema_path;
  std::string keyword;
  std::string message;
  std::size_t line = 0;   ///< 1-based
  std::size_t column = 0; ///< 1-based, in bytes
  placed_rule rule = {};
};

/// Something in a document that was read as something else, and its place.
struct placed_note {
  std::string instance; ///< JSON pointer into the document
  std::string rule;     ///< protocol::reading_note has the list
  std::string message;
  std::size_t line = 0;   ///< 1-based
  std::size_t column = 0; ///< 1-based, in bytes
};

/// The most violations and notes kept of one file; more are only counted.
inline constexpr std::size_t violations_kept = 1'000;

/// What validation found in one file.
struct file_verdict {
  std::string file;
  std::string schema;        ///< its name; of a log, that of the first event
  std::size_t documents = 0; ///< those that were validated
  /// By the full name of the schema that was used, how many documents.
  std::map<std::string, std::size_t, std::less<>> schemas;
  std::size_t passed_over = 0; ///< those of unknown kind, which were not
  std::size_t errors_total = 0;
  std::vector<placed_violation> errors; ///< the first ones
  std::size_t warnings_total = 0;
  std::vector<placed_violation> warnings; ///< the first ones
  std::size_t rules_checked = 0; ///< invariants, once for each document
  /// Ids of those that lacked another document to compare with.
  std::set<std::string, std::less<>> rules_unchecked;
  std::size_t notes_total = 0;
  std::vector<placed_note> notes; ///< the first ones
  bool is_log = false;            ///< a `log_opened` was seen
  bool is_agent_log = false;      ///< and that of its run or rollbacks

  [[nodiscard]] bool valid() const noexcept {
    return errors_total == 0;
  }
};

struct invariant_rules;

/// What to validate against.
struct validation_rules {
  std::string schema; ///< any of its names; empty: guessed for each document
  /// The schema of what does not show its kind; empty: it is of unknown kind.
  /// Not for `strict`.
  std::string otherwise = {};
  /// Whether a document of unknown kind is an error or is skipped.
  bool unknown_is_error = true;
  /// Only the protocol's schemas, to the letter: refuses what is only ours
  /// (scenarios, the form of events on a log, a `$comment`), and documents in
  /// the form of the protocol's first descriptions, which are otherwise
  /// accepted with notes.
  bool strict = false;
  const invariant_rules* invariants = nullptr; ///< null: none
};

/// Why a file with an array is refused, and what to do.
inline constexpr std::string_view array_refused
  = "is an array: a file has one document, or one event in each line (JSON "
    "Lines), as `jq -c '.[]' FILE` writes them";

/// Counts a fault, and stores it as long as there is room.
void add_error(file_verdict& out, placed_violation what);

/// Validates the text of one document: JSON, or JSON as in scenario files. A
/// `$comment` at the top is ignored. Fails only if `rules.schema` does not
/// exist.
[[nodiscard]] protocol::result<void>
check_document(std::string_view text, const validation_rules& rules,
               file_verdict& out);

/// The same of a YAML text.
[[nodiscard]] protocol::result<void> check_yaml(std::string_view text,
                                                const validation_rules& rules,
                                                file_verdict& out);

/// Validates line `number` of an event log or another JSON Lines file. Empty
/// lines, `log_opened` and `log_group` are skipped.
[[nodiscard]] protocol::result<void>
check_line(std::string_view line, std::size_t number,
           const validation_rules& rules, file_verdict& out);

} // namespace convene::host
