#pragma once

#include <convene/protocol/base/api.hpp>
#include <convene/protocol/base/error.hpp>
#include <convene/protocol/documents/role.hpp>
#include <convene/runtime/data/scenario/outputs.hpp>
#include <convene/runtime/data/state_store/state_store.hpp>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace convene::host {

// These wait for the store; not for its callbacks.

/// Who has a session carried out.
enum class session_owner : std::uint8_t {
  itself,
  agent, ///< a single agent, whose documents of the same ids are stored later
};

/// Puts the documents of a session that has ended under their keys, in one
/// transaction. The values are the texts of the files that
/// `output_folder::write_session` writes. Documents that are there already
/// stay; if one of the same id differs, or is another run's of a session with
/// this id, nothing is stored: `document_exists`.
[[nodiscard]] CONVENE_API protocol::result<void>
store_documents(state_store& into, const session_documents& documents,
                const std::vector<protocol::role>& roles,
                session_owner whose = session_owner::itself);

/// Whether the documents of a session are in a store.
[[nodiscard]] CONVENE_API protocol::result<bool>
has_documents(state_store& in, const std::string& session_id);

/// Appends the events of those sessions on a log whose documents are in the
/// store, each with the ids of its session's Trace and Context, in the log's
/// order. Those that are there already are left out, so this can be done again
/// after a failure, which leaves a part of them. An event that is there with
/// other content, and events of another run of a session with the same id, are
/// refused: `event_differs`, `session_differs`.
[[nodiscard]] CONVENE_API protocol::result<void>
store_events(state_store& into, const std::filesystem::path& log);

} // namespace convene::host
