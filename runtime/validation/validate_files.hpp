#pragma once

#include <convene/runtime/validation/check_text.hpp>

#include <filesystem>
#include <functional>

namespace convene::host {

/// Told of each file when it is done.
using verdict_visitor = std::function<void(const file_verdict&)>;

/// Validates a document, a JSON Lines file, or every such file below a folder.
/// In a folder, what looks like no known kind is passed over; in a file that
/// `path` names, it is an error. Fails if something cannot be read, or if no
/// embedded schema has the name `schema`.
[[nodiscard]] protocol::result<void>
validate_files(const std::filesystem::path& path, const std::string& schema,
               const verdict_visitor& visit);

} // namespace convene::host
