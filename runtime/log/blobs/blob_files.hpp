#pragma once

#include <boost/json/value.hpp>
#include <convene/protocol/base/error.hpp>
#include <convene/protocol/documents/blob.hpp>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace convene::host {

/// Whether a log can have blobs: it is a file or a folder, or will be.
[[nodiscard]] bool has_blobs(const std::filesystem::path& log);

/// The folder for the blobs of a log: `blobs` in a folder of segments and
/// beside `events.jsonl`; of any other file `x.jsonl` it is `x.blobs`. No two
/// logs share one.
[[nodiscard]] std::filesystem::path
blob_folder_for(const std::filesystem::path& log);

/// The same for a log that can be read: also of the folder that a run wrote.
[[nodiscard]] protocol::result<std::filesystem::path>
blob_folder_of(const std::filesystem::path& log);

/// The blob that has this text.
[[nodiscard]] protocol::blob name_blob(std::string_view text);

/// The text of a blob. Rules of errors, which name the file:
/// - `blob_missing`: there is no such file;
/// - `blob_corrupt`: it is not what its name and the reference say;
/// - `blob_unreadable`: it cannot be read.
[[nodiscard]] protocol::result<std::string>
read_blob(const std::filesystem::path& folder, const protocol::blob& which);

/// The value that it says; the same errors.
[[nodiscard]] protocol::result<boost::json::value>
read_blob_value(const std::filesystem::path& folder,
                const protocol::blob& which);

/// The files in the folder that are named like blobs; none if there is no
/// folder.
[[nodiscard]] protocol::result<std::vector<std::string>>
blob_names_in(const std::filesystem::path& folder);

} // namespace convene::host
