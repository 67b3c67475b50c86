#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/protocol/documents/collab.hpp>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace convene::cli {

/// What a new folder begins with.
struct folder_content {
  std::string name; ///< in the folder
  std::string text;
};

/// The names of the templates.
inline const std::vector<std::string> template_names{"debate",     "review",
                                                     "swarm",      "approval",
                                                     "simulation", "load"};

/// A scenario of this mode, or the files of one of `template_names`.
[[nodiscard]] std::vector<folder_content>
scenario_of_mode(protocol::mode mode, std::string_view title);
[[nodiscard]] std::vector<folder_content>
scenario_of_template(std::string_view name, std::string_view title);

/// Writes the files into a folder that is there, with the settings and the
/// schema by which Visual Studio Code checks and completes a scenario.
[[nodiscard]] protocol::result<void>
write_scenario_folder(const std::filesystem::path& folder,
                      const std::vector<folder_content>& files);

} // namespace convene::cli
