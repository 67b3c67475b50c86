#pragma once

#include <convene/protocol/checks/session_facts.hpp>

#include <set>
#include <utility>

namespace convene::protocol {

/// The rules about what participants do outside of a session, event by event:
/// - actions_end_once: each attempt ends once, as what it started as, at the
///   latest when its request closes
/// - actions_need_request: an attempt starts in a request of its participant
///   that is open
/// - attempts_count_up: attempts at a position count up and are at the same
///   action; what completed is not begun again, and neither is what is not
///   repeatable, or was begun by the session that this one is a fork of, and
///   whose outcome is unknown
class action_check {
public:
  void feed(const checked_event& e);

private:
  struct attempt {
    std::string position;
    std::int64_t number = 0;
    std::string executor_kind;
    std::optional<timestamp_ms> begun_at;
  };
  /// An action as far as the log has it.
  struct known_action {
    std::string kind;
    std::string name;
    json::value arguments;
    std::int64_t attempt = 0;
    bool repeatable = false;
    bool ended = false; ///< and its outcome is known
    bool completed = false;
  };
  using known_actions = std::map<std::string, known_action, std::less<>>;
  struct request {
    std::map<std::string, attempt, std::less<>> open; ///< by execution_id
    known_actions actions;                            ///< by position
  };
  using request_name = std::pair<std::string, std::string>; ///< who, token

  void start(const checked_event& e);
  void check_request(const checked_event& e, const request_name& name) const;
  static void check_attempt(const checked_event& e, const known_action* before);
  void end(const checked_event& e);
  static void check_end(const checked_event& e, const attempt& began);
  void close(const checked_event& e, std::string_view who,
             std::string_view token);
  void close(const checked_event& e,
             std::map<request_name, request>::iterator at);
  void suspend();
  void bar_repeats();

  std::map<request_name, request> requests_; ///< that have actions
  std::map<request_name, std::optional<std::int64_t>> asked_; ///< turn number
  std::set<std::string, std::less<>> answered_; ///< requests of other kinds
  std::map<std::string, known_actions, std::less<>> left_; ///< by participant
};

} // namespace convene::protocol
