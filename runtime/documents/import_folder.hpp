#pragma once

#include <convene/runtime/documents/validate_files.hpp>

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace convene::host {

/// What became of a folder that was to be imported.
struct import_report {
  enum class outcome : std::uint8_t {
    imported,
    unchanged, ///< it is there already, the same to the byte
    refused,   ///< a document is not valid: nothing was written
  };

  outcome how = outcome::refused;
  std::vector<file_verdict> files; ///< by their names below the folder
  /// What is no document, and why: below the folder, left where it is.
  std::vector<std::pair<std::string, std::string>> passed_over;
};

/// Takes the documents and logs below `from` in: validates them and writes
/// them, unchanged to the byte and under the same names, below `to`. All of
/// them or none: they are copied beside `to`, the copies are validated, and
/// the whole takes its name. JSON of no known kind is passed over. Fails with
/// errc::usage and rule `target_inside_source` or `target_not_empty` (a folder
/// that has anything else is never written to), and if something cannot be
/// read or written, or nothing is there to import.
[[nodiscard]] protocol::result<import_report>
import_folder(const std::filesystem::path& from,
              const std::filesystem::path& to, const validation_request& how);

} // namespace convene::host
