#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/runtime/log/files/descriptor.hpp>

#include <filesystem>
#include <memory>

namespace convene::host {

/// The rule of the error if somebody else holds a folder.
inline constexpr const char* folder_locked = "folder_locked";

/// Holds a folder, so that no other process, or other part of this one, takes
/// it: until the last copy is destroyed or the process ends. It is the folder
/// itself that is locked: nothing is left in it. Where the file system cannot
/// lock folders, nobody is kept out.
class folder_lock {
public:
  folder_lock() = default; ///< holds nothing

  /// Rule `folder_locked` if somebody else holds it for a second.
  [[nodiscard]] static protocol::result<folder_lock>
  take(const std::filesystem::path& folder);

private:
  std::shared_ptr<const descriptor> folder_;
};

} // namespace convene::host
