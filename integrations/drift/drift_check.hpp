#pragma once

#include <convene/integrations/drift/tracked_files.hpp>
#include <convene/runtime/data/project_folder/project_folder.hpp>

#include <cstddef>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace convene::host {

/// What is compared, and with what.
struct drift_scope {
  bool whole = false; ///< files that are not tracked count as added
  /// Patterns of what is left out, tracked or not, as `project_folder::list`.
  std::vector<std::string> excluded;
  std::set<std::string, std::less<>> ignored; ///< paths of files and folders

  /// Whether a path is or is below one that is ignored, or is left out.
  [[nodiscard]] bool ignores(std::string_view path) const;
};

/// Files below a folder against what is tracked, as often as wanted. What
/// cannot be looked at is an error of its own, and the others are compared; its
/// record stays as it is.
class drift_check {
public:
  using listener = std::function<void(protocol::drift_change,
                                      const protocol::drift_record&)>;

  /// `tell` is called for each record that is opened, changed or closed.
  drift_check(project_folder folder, const tracked_files& tracked,
              drift_scope scope, listener tell);

  /// For `restore` before the first look.
  [[nodiscard]] protocol::drift_book& book() noexcept {
    return book_;
  }
  [[nodiscard]] const protocol::drift_book& book() const noexcept {
    return book_;
  }

  /// Looks at every file. Fails if the folder cannot be listed. What is seen
  /// counts as later than all that is known.
  [[nodiscard]] protocol::result<void> look_at_all(protocol::timestamp_ms now);

  /// Looks at one file because of something that happened then. A path that is
  /// not part of what is compared is left alone.
  void look_at(const std::string& path, protocol::timestamp_ms at);

  /// The folders, by their paths, in which a change matters; the empty one is
  /// the project's.
  [[nodiscard]] const std::set<std::string>& folders() const noexcept {
    return folders_;
  }
  [[nodiscard]] const project_folder& folder() const noexcept {
    return folder_;
  }
  /// How many files the last `look_at_all` compared, or `look_at` since then.
  [[nodiscard]] std::size_t compared() const noexcept {
    return compared_;
  }
  /// Looks because of something older than what is known.
  [[nodiscard]] std::size_t outdated() const noexcept {
    return outdated_;
  }
  [[nodiscard]] const auto& skipped() const noexcept {
    return skipped_;
  }
  /// By path.
  [[nodiscard]] const auto& errors() const noexcept {
    return errors_;
  }

private:
  void cover_tracked();
  void look(const std::string& path, protocol::timestamp_ms at);

  project_folder folder_;
  drift_scope scope_;
  listener tell_;
  std::set<std::string, std::less<>> tracked_;
  protocol::drift_book book_;
  std::set<std::string> folders_;
  std::vector<std::pair<std::string, std::string>> skipped_;
  std::map<std::string, protocol::error> errors_;
  std::size_t compared_ = 0;
  std::size_t outdated_ = 0;
};

} // namespace convene::host
