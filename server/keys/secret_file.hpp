#pragma once

#include <convene/protocol/base/error.hpp>

#include <filesystem>
#include <string>

namespace convene::server {

/// The secret that a file has, without line ends behind it. Rule
/// `webhook_secret`, with the file, for what is no regular file, can be read or
/// written by others than its owner, or has not 16 to 4,096 bytes.
[[nodiscard]] protocol::result<std::string>
read_secret(const std::filesystem::path& file);

} // namespace convene::server
