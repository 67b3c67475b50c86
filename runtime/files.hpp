#pragma once

#include <convene/protocol/error.hpp>

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

namespace convene::host {

/// The largest file that is read as a scenario or a document.
inline constexpr std::size_t document_bytes_max = 64 << 20;

/// All of a regular file. Folders, devices, sockets and pipes are refused
/// without waiting for them, as is a file above `bytes_max`; errors name the
/// file.
[[nodiscard]] protocol::result<std::string>
read_file(const std::filesystem::path& file,
          std::size_t bytes_max = document_bytes_max);

/// Writes the file or leaves what was there: the text goes to a new file
/// beside it, which then takes its name.
[[nodiscard]] protocol::result<void>
write_file(const std::filesystem::path& file, std::string_view text);

} // namespace convene::host
