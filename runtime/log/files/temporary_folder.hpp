#pragma once

#include <convene/protocol/base/error.hpp>

#include <filesystem>

namespace convene::host {

/// Where temporary files and folders are made: the folder that `TMPDIR` names,
/// whether it is there or not, or /tmp.
[[nodiscard]] std::filesystem::path temporary_folder();

/// The same, which is there. Errors: errc::usage, rule `temporary_folder`.
[[nodiscard]] protocol::result<std::filesystem::path> find_temporary_folder();

} // namespace convene::host
