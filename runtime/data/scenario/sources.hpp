#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/protocol/documents/common.hpp>
#include <convene/runtime/data/scenario/scenario.hpp>
#include <convene/runtime/data/scenario/source_text.hpp>

#include <array>
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
    source_text text;
    bool is_included = false;       ///< a part of the scenario, by `include`
    std::vector<std::string> parts; ///< what it has of the scenario: pointers,
                                    ///< the same as in the file
  };

  protocol::json::object scenario;
  std::vector<origin> origins;
  std::filesystem::path folder; ///< document names are relative to it
  /// Which files elsewhere may be named; null: none.
  const permissions* allow = nullptr;
  /// False: the scenario came without files, and names none but logs that
  /// `allow` has, by absolute paths.
  bool has_folder = true;
};

/// The names of a scenario in a folder.
inline constexpr std::array<std::string_view, 4> scenario_names{
  "scenario.json", "scenario.jsonc", "scenario.yaml", "scenario.yml"};

/// Reads a scenario file, a folder with one of `scenario_names`, or a folder of
/// MPLP documents as a scenario whose participants, or a single agent's
/// executors, echo. `notes` receives each unused file.
[[nodiscard]] protocol::result<scenario_sources>
read_sources(const std::filesystem::path& path, bool single_agent,
             std::vector<source_note>* notes);

/// Reads a file that must hold one object, in JSON or YAML, and notes it as the
/// origin of what is at the pointer. Its comment, which the protocol's own
/// examples carry and its schemas refuse, is dropped. `relaxed`: comments are
/// allowed.
[[nodiscard]] protocol::result<protocol::json::object>
read_object(scenario_sources& sources, std::string pointer,
            const std::filesystem::path& file, bool relaxed);

/// Adds the file, the pointer within that file and the line to an error.
[[nodiscard]] protocol::error located(protocol::error what,
                                      const scenario_sources& sources);

} // namespace convene::host
