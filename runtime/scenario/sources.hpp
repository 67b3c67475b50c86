#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/protocol/documents/common.hpp>
#include <convene/runtime/scenario/scenario.hpp>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace convene::host {

/// A scenario being assembled, and where its parts were read from.
struct scenario_sources {
  /// One file: its text, and the place of its value in the scenario.
  struct origin {
    std::string pointer; ///< empty: the scenario itself
    std::string file;
    std::string text;
  };

  protocol::json::object scenario;
  std::vector<origin> origins;
  std::filesystem::path folder; ///< document names are relative to it
  /// Which files elsewhere may be named; null: none.
  const permissions* allow = nullptr;
};

/// Reads a scenario file, or a folder of MPLP documents as a scenario whose
/// participants, or a single agent's executors, echo. `notes` receives each
/// unused file.
[[nodiscard]] protocol::result<scenario_sources>
read_sources(const std::filesystem::path& path, bool single_agent,
             std::vector<source_note>* notes);

/// Replaces every string that names a document by that document. Calling it
/// again embeds documents named since. A file that is elsewhere than in or
/// below the folder, links resolved, is refused unless it is allowed.
[[nodiscard]] protocol::result<void> embed_documents(scenario_sources& sources);

/// Whether all documents are embedded and no command is in the scenario's
/// folder: there is none. Rule `names_file`.
[[nodiscard]] protocol::result<void>
check_names_no_file(const protocol::json::object& scenario);

/// Adds the file, the pointer within that file and the line to an error.
[[nodiscard]] protocol::error located(protocol::error what,
                                      const scenario_sources& sources);

} // namespace convene::host
