#pragma once

#include <convene/protocol/base/error.hpp>

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string_view>
#include <vector>

namespace convene::host {

inline constexpr std::size_t folder_files_max = 100'000;
inline constexpr int folder_depth_max = 64;
inline constexpr std::size_t json_line_bytes_max = 64 << 20;

/// Whether the folder is the `work` of a run's folder: what is in there is the
/// programs' own, whatever its names, and no document.
[[nodiscard]] bool is_work_folder(const std::filesystem::path& folder);

/// The `*.json` and `*.jsonl` files below a folder, in the order of their
/// paths, without those in work folders. Links are not followed, and links to
/// files are ignored. Rules
/// `folder_files_max` and `folder_depth_max`.
[[nodiscard]] protocol::result<std::vector<std::filesystem::path>>
json_files(const std::filesystem::path& folder);

/// Whether the file is one document a line: by its ending, `.jsonl` or
/// `.ndjson`, or because it begins as an event log does.
[[nodiscard]] bool is_json_lines(const std::filesystem::path& file);

using line_visitor = std::function<protocol::result<void>(std::string_view line,
                                                          std::size_t number)>;

/// Visits each line of a regular file, until `visit` fails. Rule
/// `json_line_bytes_max`.
[[nodiscard]] protocol::result<void>
visit_lines(const std::filesystem::path& file, const line_visitor& visit);

} // namespace convene::host
