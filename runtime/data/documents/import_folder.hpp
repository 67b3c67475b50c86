#pragma once

#include <convene/runtime/data/documents/validate_files.hpp>

#include <cstdint>
#include <filesystem>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

namespace convene::host {

/// The result of importing a folder.
struct import_report {
  enum class outcome : std::uint8_t {
    imported,
    unchanged, ///< it already exists, identical to the byte
    refused,   ///< a document is not valid: nothing was written
  };

  outcome how = outcome::refused;
  std::vector<file_verdict> files; ///< by their names below the folder
  /// Files below the folder that are not documents, and why; not imported.
  std::vector<std::pair<std::string, std::string>> passed_over;
};

/// Imports the documents and logs below `from`: validates them and writes them,
/// byte for byte and under the same names, below `to`. All of them or none:
/// they are copied beside `to`, the copies are validated, and the copy is
/// renamed to `to`. JSON of unknown kind is skipped. Fails with errc::usage and
/// rule `target_inside_source` or `target_not_empty` (a folder that has
/// anything else is never written to), and if something cannot be read or
/// written, or there is nothing to import; rule `interrupted` between two files
/// after `stop`.
[[nodiscard]] protocol::result<import_report>
import_folder(const std::filesystem::path& from,
              const std::filesystem::path& to, const validation_request& how,
              const std::stop_token& stop = {});

} // namespace convene::host
