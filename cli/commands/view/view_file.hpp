#pragma once

#include <convene/protocol/base/error.hpp>

#include <filesystem>
#include <string>

namespace convene::cli {

/// Writes the inspector of a log to a new file, as `convene view LOG --out`
/// does; `name` stands for the log there.
[[nodiscard]] protocol::result<void>
write_view(const std::filesystem::path& log, const std::string& name,
           const std::filesystem::path& out);

} // namespace convene::cli
