#pragma once

#include <convene/session/workspace/workspace.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace convene::session {

/// The shared resources of a session, made again from the events of its log
/// alone: what MAPSessionStarted brought along, and each resource_written. The
/// log may come from anywhere; an event costs what its write costs.
class workspace_fold {
public:
  /// The session's next event. Refuses a write that cannot be what the event
  /// says; after that the fold is no longer the session's.
  [[nodiscard]] protocol::result<void> feed(const json::object& event);

  [[nodiscard]] const workspace& resources() const noexcept {
    return resources_;
  }

  /// The ids of the participants, by position.
  [[nodiscard]] const std::vector<std::string>& participants() const noexcept {
    return participants_;
  }

private:
  [[nodiscard]] protocol::result<void> start(const json::object& payload);
  [[nodiscard]] protocol::result<void> write(const json::object& payload);

  workspace resources_;
  std::vector<std::string> participants_;
};

/// The resources of a session as a document: {session_id, resources:
/// [{resource_type, resource_id, version, deleted or value, [participant_id],
/// [turn_number]}]}, by type and id.
[[nodiscard]] json::object
workspace_document(std::string_view session_id, const workspace_view& of,
                   const std::vector<std::string>& participants);

} // namespace convene::session
