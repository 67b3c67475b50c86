#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/runtime/data/documents/staging_folder.hpp>

#include <filesystem>
#include <optional>
#include <string>

namespace convene::cli {

/// A folder for the sessions: the user's, or one in the folder of temporary
/// files, which is removed at the end. It has a mark, by which those that
/// killed processes of this user have left there are known; those older than a
/// minute are removed.
class data_folder {
public:
  /// `named` is the user's; empty: a temporary one.
  [[nodiscard]] protocol::result<std::filesystem::path>
  open(const std::string& named);

private:
  std::optional<host::staging_folder> own_;
};

} // namespace convene::cli
