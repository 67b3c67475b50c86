#pragma once

#include <convene/protocol/base/error.hpp>

#include <cstdint>
#include <filesystem>
#include <memory>

namespace convene::host {

/// A regular file that is open for reading and for appending.
struct append_target {
  std::shared_ptr<const int> descriptor; ///< closed with its last owner
  std::int64_t bytes = 0;                ///< its size when it was opened
};

/// Opens a file, and creates it if it is not there. Folders, devices and pipes
/// are refused without blocking on them.
[[nodiscard]] protocol::result<append_target>
open_to_append(const std::filesystem::path& file);

/// The error of a file that cannot be written, by `errno`.
[[nodiscard]] protocol::error cannot_write(protocol::errc code,
                                           const std::filesystem::path& file);

} // namespace convene::host
