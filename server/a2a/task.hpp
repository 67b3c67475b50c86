#pragma once

#include <boost/json/object.hpp>
#include <convene/server/a2a/output_modes.hpp>
#include <convene/server/sessions/request_change.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace convene::server {

enum class task_state : std::uint8_t {
  working,
  input_required,
  completed,
  failed,
  canceled,
  // Words of A2A that may be asked for, and that no task here has.
  submitted,
  rejected,
  auth_required,
};

/// A2A's word for it, and back.
[[nodiscard]] std::string_view word_of(task_state state) noexcept;
[[nodiscard]] std::optional<task_state>
task_state_of(std::string_view word) noexcept;

/// Whether nothing follows.
[[nodiscard]] constexpr bool is_over(task_state state) noexcept {
  return state != task_state::working && state != task_state::input_required;
}

/// What a task's client is told when it changes.
struct task_status {
  task_state state = task_state::working;
  std::string timestamp;
  std::string text;      ///< who is asked what, or why it failed; may be empty
  std::size_t place = 0; ///< among the task's updates, from 1
};

/// What a message makes a session of, kept in its scenario: the tags of its
/// Collab.
struct task_origin {
  std::string skill;
  std::string context_id;
  std::string digest;  ///< of the message
  output_modes output; ///< what its client reads

  bool operator==(const task_origin&) const = default;
};

void mark(boost::json::object& scenario, const task_origin& origin);

/// Nothing: the session is not a task.
[[nodiscard]] std::optional<task_origin>
origin_of(const boost::json::object& scenario);

/// The member of a reply's `result` that says which message it was.
inline constexpr std::string_view message_member = "a2a_message_id";

/// A session as a task: a function of its events.
class task {
public:
  /// Updates that are kept: the latest ones.
  static constexpr std::size_t updates_max = 16;

  /// From the scenario in MAPSessionStarted.
  task(task_origin origin, const boost::json::object& scenario,
       std::string timestamp);

  /// The session's next event, if it is for tasks.
  void feed(const boost::json::object& event);
  /// Whether events of this type are for it.
  [[nodiscard]] bool concerns(std::string_view event_type) const;

  /// Keeps only the last update: who lags behind is told nothing else.
  void forget();

  [[nodiscard]] const task_origin& origin() const noexcept {
    return origin_;
  }
  [[nodiscard]] const task_status& status() const noexcept {
    return updates_.back();
  }

  /// How many there were, so the place behind the last one.
  [[nodiscard]] std::size_t updates() const noexcept {
    return forgotten_ + updates_.size();
  }
  /// Those behind a place, as far as they are kept.
  [[nodiscard]] std::vector<task_status> updates_after(std::size_t place) const;

  /// Token and participant of each open question.
  [[nodiscard]] const std::set<std::pair<std::string, std::string>>&
  questions() const noexcept {
    return questions_;
  }

  /// Whether this message answered a question.
  [[nodiscard]] bool has_taken(const std::string& message_id) const {
    return messages_.contains(message_id);
  }

private:
  void end(const boost::json::object& event);
  void change(const boost::json::object& event);
  void tell(task_state state, std::string_view timestamp, std::string text);

  task_origin origin_;
  session_people people_; ///< services answer for themselves
  std::string asked_;     ///< what the session is about
  std::string said_;      ///< what was said last
  std::set<std::pair<std::string, std::string>> questions_;
  std::map<std::string, std::string> asks_; ///< by token, if it has a text
  std::set<std::string> messages_;
  std::vector<task_status> updates_;
  std::size_t forgotten_ = 0;
};

} // namespace convene::server
