#pragma once

#include <convene/protocol/base/error.hpp>

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <system_error>

namespace convene::host {

/// The largest file that is read as a scenario or a document.
inline constexpr std::size_t document_bytes_max = 64 << 20;

/// An error that names a file.
[[nodiscard]] protocol::error
file_error(protocol::errc code, const std::filesystem::path& file,
           std::string what, std::string rule = {});

/// With the system's reason behind it: "cannot be read: No such file".
[[nodiscard]] protocol::error
file_error(protocol::errc code, const std::filesystem::path& file,
           std::string what, const std::error_code& why, std::string rule = {});

/// The same error, of this file.
[[nodiscard]] protocol::error in_file(protocol::error what,
                                      const std::filesystem::path& file);

/// What the last system call failed with: `errno`.
[[nodiscard]] std::error_code last_error() noexcept;

/// Makes a folder, and those that it is in, unless they are there; new ones are
/// for their owner alone. Whether the folder is new.
bool create_private(const std::filesystem::path& folder,
                    std::error_code& failed);

/// The same, with an error that names the folder.
[[nodiscard]] protocol::result<void>
make_folders(const std::filesystem::path& folder);

/// Reads a whole regular file. Folders, devices, sockets and pipes are refused
/// without blocking on them, as is a file above `bytes_max`; errors name the
/// file.
[[nodiscard]] protocol::result<std::string>
read_file(const std::filesystem::path& file,
          std::size_t bytes_max = document_bytes_max);

/// Whether a file's content must be on disk before the file gets its name.
enum class synced : bool { no, yes };

/// The suffix of the name of an incompletely written file.
inline constexpr const char* unfinished_ending = ".new";

/// Calls what it is given with each piece of a text.
using text_in_pieces
  = std::function<void(const std::function<void(std::string_view)>&)>;

/// Replaces the file or leaves it unchanged: the text is written to a new file
/// beside it (with `ending`, which differs where two write at once), which is
/// then renamed. After a power loss the file can be empty, unless it was
/// `synced`.
[[nodiscard]] protocol::result<void>
write_file(const std::filesystem::path& file, std::string_view text,
           synced how = synced::no,
           const std::string& ending = unfinished_ending);

/// The same of a text that `content` hands over in pieces.
[[nodiscard]] protocol::result<void>
write_file(const std::filesystem::path& file, const text_in_pieces& content,
           synced how = synced::no,
           const std::string& ending = unfinished_ending);

} // namespace convene::host
