#pragma once

#include <convene/protocol/base/error.hpp>

#include <filesystem>
#include <string>

namespace convene::host {

/// A folder that is filled beside its target and then renamed to it, so that
/// the target exists whole or not at all. Removed with this object if not
/// renamed. Folders get mode 0700 and files 0600.
class staging_folder {
public:
  explicit staging_folder(std::filesystem::path target);
  staging_folder(const staging_folder&) = delete;
  staging_folder& operator=(const staging_folder&) = delete;
  ~staging_folder();

  /// Creates it under an unused name.
  [[nodiscard]] protocol::result<void> make();

  [[nodiscard]] std::filesystem::path path() const {
    return name_;
  }

  /// Renames it to the target if that does not exist or is an empty folder:
  /// true. False: the target already has the same content. Fails with
  /// errc::usage, rule `target_not_empty`, if it has any other.
  [[nodiscard]] protocol::result<bool> become_target();

private:
  std::filesystem::path target_;
  std::string name_;
  bool made_ = false;
};

/// The error of a target that was not written because of a signal.
[[nodiscard]] protocol::error interrupted(const std::filesystem::path& target);

} // namespace convene::host
