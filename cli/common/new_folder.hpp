#pragma once

#include <convene/protocol/base/error.hpp>

#include <filesystem>
#include <string>

namespace convene::cli {

/// Makes a folder, or takes one that is empty: results never mix with what is
/// there. `option` is the one that named it, for errors.
[[nodiscard]] protocol::result<void>
make_new_folder(const std::filesystem::path& folder, std::string option);

} // namespace convene::cli
