#pragma once

#include <convene/protocol/base/error.hpp>

#include <filesystem>
#include <string>

namespace convene::host {

/// A folder that is filled beside its target and then takes its name, so that
/// the target is there whole or not at all. Gone with this object if it has
/// not.
class staging_folder {
public:
  explicit staging_folder(std::filesystem::path target);
  staging_folder(const staging_folder&) = delete;
  staging_folder& operator=(const staging_folder&) = delete;
  ~staging_folder();

  /// Creates it, with a name that nobody has.
  [[nodiscard]] protocol::result<void> make();

  [[nodiscard]] std::filesystem::path path() const {
    return name_;
  }

  /// Takes the target's name if that is free, or an empty folder: true. False:
  /// the target has the same content already. Fails with errc::usage, rule
  /// `target_not_empty`, if it has any other.
  [[nodiscard]] protocol::result<bool> become_target();

private:
  std::filesystem::path target_;
  std::string name_;
  bool made_ = false;
};

} // namespace convene::host
