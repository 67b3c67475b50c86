#pragma once

#include <convene/session/workspace/workspace.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace convene::session {

/// The shared resources of a session, rebuilt from the events of its log alone:
/// those in MAPSessionStarted, each resource_written, and the status of the
/// steps among them. The log is untrusted; an event costs as much as its write.
class workspace_fold {
public:
  /// The session's next event. Refuses a write that contradicts the event; the
  /// fold then no longer matches the session.
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
  void move_step(const json::object& payload);

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
