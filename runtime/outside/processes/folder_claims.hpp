#pragma once

#include <convene/protocol/base/error.hpp>

#include <filesystem>
#include <memory>
#include <vector>

namespace convene::host {

/// The folders that sandboxed programs write, and what the sandboxes of others
/// are built from. A program could replace what lies in its folder while the
/// sandbox of another is built from it. Thread-safe.
class folder_claims {
public:
  folder_claims();

  /// Claims a folder for a program that also uses these files and folders; all
  /// absolute, links resolved. The claim ends with the returned pointer.
  /// Errors: `activation_refused`, nested_folders, if one of them lies in a
  /// folder that another program writes, or the folder contains one that
  /// another program uses. Several programs may have the same folder.
  [[nodiscard]] protocol::result<std::shared_ptr<void>>
  claim(const std::filesystem::path& writable,
        std::vector<std::filesystem::path> used);

private:
  struct state;
  std::shared_ptr<state> state_;
};

} // namespace convene::host
