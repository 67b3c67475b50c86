#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/protocol/documents/common.hpp>
#include <convene/runtime/data/scenario/sources.hpp>

#include <array>
#include <filesystem>
#include <string>
#include <string_view>

namespace convene::host {

/// Members of a scenario that are a document or name its file.
inline constexpr std::array<std::string_view, 6> document_members{
  "context", "collab", "plan", "confirm", "core", "network"};

/// Whether the scenario may name this file, at this place of it. Rule
/// `permission_needed`.
[[nodiscard]] protocol::result<void> may_name(const scenario_sources& sources,
                                              const std::filesystem::path& file,
                                              const std::string& pointer);

/// Replaces every string that names a document by that document. Calling it
/// again embeds documents named since. A file that is elsewhere than in or
/// below the folder, links resolved, is refused unless it is allowed.
[[nodiscard]] protocol::result<void> embed_documents(scenario_sources& sources);

/// Makes the logs that behaviours of type `recorded` name independent of where
/// the scenario is. The same files may be named as for documents. Rules
/// `permission_needed`, `names_file`.
[[nodiscard]] protocol::result<void>
place_recordings(scenario_sources& sources);

/// Whether all documents are embedded and no command is in the scenario's
/// folder: there is none. Rule `names_file`.
[[nodiscard]] protocol::result<void>
check_names_no_file(const protocol::json::object& scenario);

} // namespace convene::host
