#pragma once

#include <convene/protocol/base/error.hpp>

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

namespace convene::host {

/// The largest file that is read as a scenario or a document.
inline constexpr std::size_t document_bytes_max = 64 << 20;

/// An error that names a file.
[[nodiscard]] protocol::error
file_error(protocol::errc code, const std::filesystem::path& file,
           std::string what, std::string rule = {});

/// All of a regular file. Folders, devices, sockets and pipes are refused
/// without waiting for them, as is a file above `bytes_max`; errors name the
/// file.
[[nodiscard]] protocol::result<std::string>
read_file(const std::filesystem::path& file,
          std::size_t bytes_max = document_bytes_max);

/// Whether a file's content has to be on the disk before the file has its name.
enum class synced : bool { no, yes };

/// What the name of a file ends in that is not written to its end.
inline constexpr const char* unfinished_ending = ".new";

/// Writes the file or leaves what was there: the text goes to a new file
/// beside it (`unfinished_ending`), which then takes its name. After a loss of
/// power the name can stand for an empty file, unless it was `synced`.
[[nodiscard]] protocol::result<void>
write_file(const std::filesystem::path& file, std::string_view text,
           synced how = synced::no);

} // namespace convene::host
