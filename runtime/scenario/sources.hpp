#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/protocol/documents/common.hpp>
#include <convene/runtime/scenario/scenario.hpp>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace convene::host {

/// A scenario while it is put together, and where its parts were read.
struct scenario_sources {
  /// One file: its text, and the place of its value in the scenario.
  struct origin {
    std::string pointer; ///< empty: the scenario itself
    std::string file;
    std::string text;
  };

  protocol::json::object scenario;
  std::vector<origin> origins;
  std::filesystem::path folder; ///< that names of documents are relative to
};

/// Reads a scenario file, or a folder of MPLP documents as a scenario whose
/// participants echo. `notes` gets each file that is not used.
[[nodiscard]] protocol::result<scenario_sources>
read_sources(const std::filesystem::path& path,
             std::vector<source_note>* notes);

/// Puts every document that is named by a string in its place. Doing it again
/// embeds what has been named since.
[[nodiscard]] protocol::result<void> embed_documents(scenario_sources& sources);

/// The error with the file, the pointer within that file, and the line.
[[nodiscard]] protocol::error located(protocol::error what,
                                      const scenario_sources& sources);

} // namespace convene::host
