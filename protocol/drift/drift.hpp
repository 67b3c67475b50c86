#pragma once

#include <convene/protocol/base/timestamp.hpp>
#include <convene/protocol/base/words.hpp>

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace convene::protocol {

/// How a file differs from what the project graph says of it.
enum class drift_type : std::uint8_t { added, deleted, modified, renamed };
CONVENE_WORDS(drift_type, "added", "deleted", "modified", "renamed");

/// How much is at stake: what is gone may be lost, what is new is in nobody's
/// way.
enum class drift_severity : std::uint8_t { low, medium, high };
CONVENE_WORDS(drift_severity, "low", "medium", "high");

/// What is at a path.
struct file_state {
  bool exists = false;
  std::string sha256;      ///< of the content, in hexadecimal
  std::uint64_t bytes = 0; ///< of the content

  auto operator<=>(const file_state&) const = default;
};

/// A file that the project graph knows.
struct artifact {
  std::string path; ///< below the project's folder
  std::string node; ///< `kind:id`; empty: it is of no graph
  file_state expected;
  timestamp_ms at = 0; ///< since when the graph has known that

  bool operator==(const artifact&) const = default;
};

/// What somebody saw at a path.
struct observation {
  std::string path;
  file_state actual;
  timestamp_ms at = 0;
};

/// A difference. For `renamed`, `expected` was at `path` and is at `new_path`.
struct drift_record {
  drift_type type = drift_type::modified;
  std::string path;
  std::string new_path;
  std::string node;
  file_state expected;
  file_state actual;
  timestamp_ms at = 0; ///< of the latest observation

  bool operator==(const drift_record&) const = default;
};

[[nodiscard]] drift_severity severity_of(drift_type type) noexcept;

/// What an observation did to the record of its path.
enum class drift_change : std::uint8_t {
  none,     ///< nothing new
  outdated, ///< something later is known: it was ignored
  detected, ///< a record was opened
  changed,  ///< the open record now says something else
  resolved  ///< the record was closed: both agree again
};

/// Artifacts against observations: at most one open record for each path. For
/// equal artifacts the records depend on what was observed, not on the order
/// in which it was fed, nor on how often: per path, what was observed last
/// counts, and of several states observed at the same time the greatest. Grows
/// with the paths that are fed; the caller bounds them.
class drift_book {
public:
  using record_map = std::map<std::string, drift_record, std::less<>>;

  /// What the graph says of a path, in place of what it said before.
  void track(artifact what);

  /// A record that an earlier book had open: it counts as observed.
  void restore(drift_record known);

  /// Of a path that is not tracked, the graph says that nothing is there.
  drift_change observe(const observation& what);

  [[nodiscard]] const record_map& open() const noexcept {
    return open_;
  }
  /// The record that the last `observe` closed.
  [[nodiscard]] const drift_record& closed() const noexcept {
    return closed_;
  }
  /// Null: it is not tracked.
  [[nodiscard]] const artifact* find(std::string_view path) const;

  /// The latest time that anything here is of.
  [[nodiscard]] timestamp_ms latest() const noexcept {
    return latest_;
  }

private:
  struct seen {
    timestamp_ms at;
    file_state what;

    auto operator<=>(const seen&) const = default;
  };

  std::map<std::string, artifact, std::less<>> tracked_;
  std::map<std::string, seen, std::less<>> seen_;
  record_map open_;
  drift_record closed_;
  timestamp_ms latest_ = 0;
};

/// The records in the order of their paths, where a deleted and an added file
/// of the same content are one that was renamed, unless there are several such
/// files, or they are empty.
[[nodiscard]] std::vector<drift_record>
with_renames(const drift_book::record_map& records);

/// Why a path is not one of a file below a folder, written in the only way that
/// such a path has: `why` is for a sentence that begins with the path. Empty:
/// it is one.
[[nodiscard]] std::string_view why_not_below(std::string_view path) noexcept;

} // namespace convene::protocol
