#pragma once

#include <convene/protocol/base/error.hpp>

#include <filesystem>
#include <string_view>

namespace convene::host {

/// Replaces the content of a file that is there, or leaves it unchanged, as
/// `write_file` does and synced. The file keeps its permissions, and a link to
/// it stays a link.
[[nodiscard]] protocol::result<void>
replace_file(const std::filesystem::path& file, std::string_view text);

} // namespace convene::host
