#pragma once

#include <convene/protocol/base/error.hpp>

#include <filesystem>
#include <string>

namespace convene::server {

/// Whether a file that is there is for its owner alone. Rule `file_mode`, with
/// the command that makes it so, if others can read, write or execute it.
[[nodiscard]] protocol::result<void>
check_private(const std::filesystem::path& file);

/// The secret that a file has, without line ends behind it. Rule
/// `webhook_secret`, with the file, for what is no regular file or has not 16
/// to 4,096 bytes, and those of `check_private`.
[[nodiscard]] protocol::result<std::string>
read_secret(const std::filesystem::path& file);

} // namespace convene::server
