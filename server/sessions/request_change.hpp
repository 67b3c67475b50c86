#pragma once

#include <convene/protocol/base/timestamp.hpp>
#include <convene/protocol/documents/reply.hpp>
#include <convene/protocol/json/members.hpp>

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace convene::server {

/// Requests that an event opens or closes, to those whom others answer for:
/// people, external systems, and services, which may answer later.
struct request_change {
  bool opens = false;
  std::string session_id;
  std::string token; ///< empty: closes all that are open in the session
  /// Closes those of a subject, without a token: `subject_of_conflict` or
  /// `subject_of_decision`.
  std::string subject = {};
  protocol::timestamp_ms at = 0; ///< with a subject: when they were over
  /// Empty with a token: closes it for all who were asked.
  std::vector<std::string> participants;
  std::optional<protocol::reply> reply; ///< that was taken; unset: none
  std::string how; ///< answered, timed_out, ... or what became of the session
};

/// Whether services, which may answer later, count among who is asked.
enum class with_services : bool { no, yes };

/// Who of a session's participants they are: who has a behaviour of the type
/// human, external or http. Also whether people approve calls.
class session_people {
public:
  session_people() = default;

  /// From the scenario in MAPSessionStarted.
  explicit session_people(const protocol::json::object& scenario,
                          with_services services = with_services::yes);

  [[nodiscard]] bool empty() const noexcept {
    return !all_ && ids_.empty() && !approves_;
  }
  [[nodiscard]] bool contains(std::string_view participant) const {
    return all_ != ids_.contains(participant);
  }
  /// Whether events of this type may change requests to them.
  [[nodiscard]] bool concerns(std::string_view event_type) const;

private:
  bool all_ = false; ///< who has no behaviour under its own id is one
  /// Who has one under its own id, where that makes a difference.
  std::set<std::string, std::less<>> ids_;
  bool approves_ = false; ///< calls of somebody are approved by people
};

/// What votes and escalations are about.
[[nodiscard]] std::string subject_of_conflict(std::string_view conflict_id);

/// What a participant decides who leads a session.
[[nodiscard]] std::string subject_of_decision(std::string_view participant);

/// Whether events of this type are for `change_of`, in any session.
[[nodiscard]] bool may_change_requests(std::string_view event_type);

/// What an event means for requests to them.
[[nodiscard]] std::optional<request_change>
change_of(const session_people& people, const protocol::json::object& event);

} // namespace convene::server
