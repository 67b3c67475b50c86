#pragma once

#include <convene/protocol/base/api.hpp>
#include <convene/protocol/base/error.hpp>
#include <convene/protocol/graph/graph.hpp>

#include <filesystem>

namespace convene::host {

/// The project graph of a log, of an MPLP document, of a folder of documents,
/// or of the folder of a run, whose log and documents have to agree: where they
/// do not, rule `node_differs` names the document and the member. A file that
/// holds a graph itself is read back.
///
/// A log does not say everything that documents do: decisions, messages and
/// segments are in documents alone; handoffs, claims and who produced what are
/// in the log alone. Reads all files at once, with the bounds of validating a
/// folder.
[[nodiscard]] CONVENE_API protocol::result<protocol::project_graph>
load_graph(const std::filesystem::path& path);

} // namespace convene::host
