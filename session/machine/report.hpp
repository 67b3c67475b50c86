#pragma once

#include <convene/protocol/base/api.hpp>
#include <convene/protocol/documents/collab.hpp>
#include <convene/protocol/documents/dialog.hpp>
#include <convene/session/journal/effects.hpp>
#include <convene/session/journal/tally.hpp>
#include <convene/session/requests/dialog_window.hpp>
#include <convene/session/spec/spec.hpp>
#include <convene/session/workspace/view.hpp>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace convene::session {

class machine;

/// The results of a session, apart from its log.
struct report {
  session::outcome outcome;
  tally counts;
  usage_by_participant used_by;
  protocol::timestamp_ms started_at = 0;
  protocol::timestamp_ms ended_at = 0;
  protocol::collab collab;
  protocol::context context;
  std::shared_ptr<const protocol::plan> plan; ///< null: no plan
  std::optional<protocol::confirm> confirm;
  std::vector<protocol::extension> extensions;
  std::vector<protocol::confirm> extension_confirms;
  std::optional<protocol::core> core;
  std::optional<protocol::network> network;
  dialog_window talk;
  workspace_view workspace;
  protocol::uuid key; ///< the session's
};

[[nodiscard]] bool has_session_ended(protocol::collab_status status) noexcept;

/// The report of a session that has ended, or is left as it stands: then the
/// outcome has its status alone. Moves what it can out of the machine.
[[nodiscard]] report make_report(std::unique_ptr<machine> left);

/// The report of a session whose machine is unusable because it failed while
/// processing an input: cancelled, with the condition `fault`.
[[nodiscard]] report make_fault_report(std::unique_ptr<machine> failed,
                                       std::string why);

/// The session's dialog as a Dialog document (session_dialog.hpp), with texts
/// of its own.
[[nodiscard]] CONVENE_API protocol::dialog make_dialog(const report& of);

/// The shared resources as a document: {session_id, resources: [{resource_type,
/// resource_id, version, deleted or value, [participant_id], [turn_number]}]},
/// by type and id. Nothing if there never were any.
[[nodiscard]] CONVENE_API std::optional<protocol::json::object>
make_workspace_document(const report& of);

} // namespace convene::session
