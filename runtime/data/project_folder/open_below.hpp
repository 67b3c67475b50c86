#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/runtime/log/files/descriptor.hpp>

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace convene::host {

/// Where a file is, below a folder: the folder that it is in, opened, and its
/// name there.
struct place_below {
  descriptor folder; ///< none: it is not there
  std::string name;
};

/// What a place is opened for. Nothing is moved or made in a folder with a file
/// `HEAD`, nor below it: it may be a Git repository, whatever its name is.
enum class going : std::uint8_t {
  look,
  move,
  make, ///< also makes the folders that are missing
};

/// Goes down from `root`, a folder that is open, and follows no link. `named`
/// is the whole name, for errors.
[[nodiscard]] protocol::result<place_below>
open_below(int root, std::string_view path, const std::filesystem::path& named,
           going to);

/// `errno` as an error of this file: of reading, or where the disk is at fault,
/// or something could not be written, of input and output.
[[nodiscard]] protocol::error read_error(const std::filesystem::path& file,
                                         int code);
[[nodiscard]] protocol::error write_error(const std::filesystem::path& file,
                                          int code);

} // namespace convene::host
