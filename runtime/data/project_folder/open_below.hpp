#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/runtime/log/files/descriptor.hpp>

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

/// Goes down from `root`, a folder that is open, and follows no link. With
/// `create`, makes the folders that are missing. `named` is the whole name,
/// for errors.
[[nodiscard]] protocol::result<place_below>
open_below(int root, std::string_view path, const std::filesystem::path& named,
           bool create);

/// `errno` as an error of this file: of reading, or where the disk is at fault,
/// or something could not be written, of input and output.
[[nodiscard]] protocol::error read_error(const std::filesystem::path& file,
                                         int code);
[[nodiscard]] protocol::error write_error(const std::filesystem::path& file,
                                          int code);

} // namespace convene::host
