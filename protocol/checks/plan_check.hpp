#pragma once

#include <convene/protocol/checks/session_facts.hpp>

#include <utility>
#include <vector>

namespace convene::protocol {

/// The rules about the plan in one session's log, event by event:
/// - steps_known: the object of a status change or turn was created before,
///   and only once
/// - step_transition_allowed: plans and steps follow their lifecycles
/// - stage_matches: the envelope of an event of the family pipeline_stage
///   agrees with its payload
/// - step_after_dependencies: a step begins after the steps that it depends on
///   are completed
/// - step_matches_turn: a step is in progress while it is assigned, and is
///   completed because a turn for it completed, or a participant wrote so; its
///   attempts are counted
/// - step_matches_write: a step becomes what a participant wrote
/// - plan_matches_steps: a plan ends as its steps did, and with the session
/// - plan_needs_confirm: a plan is approved by a Confirm about it
class plan_check {
public:
  void feed(const checked_event& e);

private:
  struct step {
    std::string status;
    std::string description;
    std::int64_t order = 0;
    std::vector<std::string> waits_for;
    bool is_held = false;  ///< by an open turn
    std::string last_turn; ///< how the turn that last held it ended
    bool has_begun = false;
    std::int64_t attempts = 0;
    bool is_closed_by_write = false;
  };

  void load(const json::object& plan, const checked_event& e);
  void add(const json::object& from, const checked_event& e);
  void dispatch(const checked_event& e);
  void check_attempt(const checked_event& e, step& which) const;
  void check_task(const checked_event& e, const step* which) const;
  void complete(const checked_event& e);
  void write(const checked_event& e);
  void change(const checked_event& e);
  [[nodiscard]] bool follows_write(const checked_event& e, step& which,
                                   std::string_view to);
  void change_step(const checked_event& e, step& which, std::string_view to);
  void change_plan(const checked_event& e, std::string_view to);
  void check_stage(const checked_event& e) const;
  void move(const checked_event& e, std::string& status) const;
  void confirm(const checked_event& e);
  void end(const checked_event& e) const;
  [[nodiscard]] step* find(std::string_view id);
  /// Judged when it begins for the first time.
  [[nodiscard]] bool begins_too_early(step& which) const;
  [[nodiscard]] std::size_t
  count(std::initializer_list<std::string_view> in) const;

  std::string id_;
  std::string status_;
  std::map<std::string, step, std::less<>> steps_;
  std::map<std::string, std::string, std::less<>> confirms_; ///< their status
  std::map<std::string, std::string, std::less<>> held_;     ///< step, by token
  std::string completes_; ///< the step whose turn has just completed
  std::string ends_;      ///< one that was begun for nobody
  /// The step that a write has just moved, and to what status.
  std::pair<std::string, std::string> written_;
  bool has_broadcasts_ = false;
  bool is_confirmed_ = false;
};

} // namespace convene::protocol
