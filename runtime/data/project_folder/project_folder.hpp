#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/protocol/drift/drift.hpp>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace convene::host {

class descriptor;

/// The largest file that is hashed: rule `artifact_bytes_max`.
inline constexpr std::uint64_t artifact_bytes_max = std::uint64_t{4} << 30;
/// Files and folders below a folder: rules `drift_files_max`,
/// `drift_depth_max`.
inline constexpr std::size_t drift_files_max = 200'000;
inline constexpr int drift_depth_max = 64;

/// Where a project folder keeps what was replaced.
inline constexpr std::string_view kept_folder = ".convene-replaced";

/// Whether a path, or a folder on the way to it, is left out by one of the
/// patterns, or always.
[[nodiscard]] bool is_excluded_below(const std::vector<std::string>& patterns,
                                     std::string_view path);

/// What is below a folder.
struct folder_listing {
  std::vector<std::string> files; ///< by their paths, sorted
  std::vector<std::string> folders;
  /// What is no file, or has no name that could be written down, and why.
  std::vector<std::pair<std::string, std::string>> skipped;
  std::vector<protocol::error> errors; ///< folders that cannot be read
};

/// A folder whose files are looked at and written by their paths below it.
/// Links are never followed, neither to files nor to folders, so no path leads
/// out, whoever changes the folder meanwhile. Paths that are looked at have to
/// be as `why_not_below` has them, those that are written as `why_not_written`
/// does (rule `path`); errors name the file.
class project_folder {
public:
  [[nodiscard]] static protocol::result<project_folder>
  open(const std::filesystem::path& folder);

  [[nodiscard]] const std::filesystem::path& name() const noexcept {
    return name_;
  }

  /// What is at the path. A folder counts as nothing; a link, a device and what
  /// cannot be read are errors.
  [[nodiscard]] protocol::result<protocol::file_state>
  look(std::string_view path) const;

  /// All files, without those whose name or path matches one of the patterns
  /// (as fnmatch has them), and what is below such folders. `.git` and
  /// `kept_folder` are never part of it.
  [[nodiscard]] protocol::result<folder_listing>
  list(const std::vector<std::string>& excluded) const;

  /// Puts `content` at the path, or with none removes what is there. What was
  /// there is moved to `keep_at` below the folder; nothing is ever overwritten,
  /// and the path always has the old or the new content where the file system
  /// can exchange two names. `was_there` is what `look` said: a file that
  /// appeared since then is an error. True: something was moved.
  [[nodiscard]] protocol::result<bool>
  replace(std::string_view path, std::optional<std::string_view> content,
          bool was_there, const std::string& keep_at) const;

private:
  [[nodiscard]] int root() const noexcept;
  /// `why`: why the path is none.
  [[nodiscard]] protocol::result<std::filesystem::path>
  named(std::string_view path, std::string_view why) const;

  std::filesystem::path name_;
  std::shared_ptr<const descriptor> root_;
};

} // namespace convene::host
