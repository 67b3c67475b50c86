#pragma once

#include <convene/runtime/data/scenario/outputs.hpp>

#include <string>
#include <utility>
#include <vector>

namespace convene::host {

/// A session's documents with the names of their files, apart from the result.
[[nodiscard]] std::vector<std::pair<std::string, const protocol::json::object*>>
document_files(const session_documents& documents);

/// Where all of a session's documents are, relative to its result.
[[nodiscard]] protocol::json::object
document_paths(const session_documents& documents, bool several_sessions);

} // namespace convene::host
