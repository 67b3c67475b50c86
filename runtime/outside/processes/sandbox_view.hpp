#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace convene::host {

/// Which parts of the file system a confined program sees, beyond a read-only
/// whole: folders that are hidden, and what is visible in those all the same.
class sandbox_view {
public:
  /// /tmp, /run and /var/tmp are hidden.
  sandbox_view();

  /// Hides the folders above this file that the confined user may not enter:
  /// below them, it could not reach the file.
  void open_way_to(const std::filesystem::path& file);
  /// Shows a file or folder under the name `as`, if it is hidden by now.
  void show(const std::filesystem::path& file, const std::filesystem::path& as);
  /// Shows a folder, and lets the program write in it.
  void show_writable(const std::filesystem::path& folder);

  /// The files and folders that are shown, the writable one included.
  [[nodiscard]] std::vector<std::filesystem::path> sources() const;
  /// As arguments of bubblewrap.
  [[nodiscard]] std::vector<std::string> arguments() const;

private:
  enum class how : std::uint8_t { hidden, readable, writable };
  struct entry {
    how is = how::hidden;
    std::filesystem::path source;
  };

  [[nodiscard]] bool is_hidden(const std::filesystem::path& file) const;
  void add_folders_above(const std::filesystem::path& file,
                         std::vector<std::string>& to) const;

  /// Parents come before what is in them.
  std::map<std::filesystem::path, entry> entries_;
};

} // namespace convene::host
