#pragma once

#include <boost/json/object.hpp>
#include <convene/protocol/base/error.hpp>
#include <convene/runtime/outside/permissions/permissions.hpp>

#include <filesystem>
#include <string>
#include <vector>

namespace convene::server {

/// Folders whose scenarios clients may name by their paths.
class scenario_folders {
public:
  scenario_folders() = default;

  /// `allow`: which files elsewhere their scenarios may name. Rule
  /// `scenarios`: a folder is not there.
  [[nodiscard]] static protocol::result<scenario_folders>
  open(const std::vector<std::filesystem::path>& folders,
       host::permissions allow);

  /// The scenario at an absolute path, or one below a folder, with all of its
  /// documents in it. Rule `scenario_path`: it is in none of the folders,
  /// links resolved. Other errors are those of `load_scenario`.
  [[nodiscard]] protocol::result<boost::json::object>
  read(const std::string& path) const;

private:
  [[nodiscard]] protocol::result<std::filesystem::path>
  find(const std::string& path) const;
  [[nodiscard]] bool has(const std::filesystem::path& real) const;
  [[nodiscard]] protocol::result<void>
  check_inside(const std::filesystem::path& found) const;

  std::vector<std::filesystem::path> folders_; ///< links resolved
  host::permissions allow_;
};

} // namespace convene::server
