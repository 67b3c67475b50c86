#pragma once

#include <convene/protocol/checks/session_facts.hpp>

#include <deque>

namespace convene::protocol {

/// The rule about where the steps of a session's plan come from:
/// - steps_match_tasks: each step is a task of the scenario or of a reply, and
///   each such task becomes one
class task_check {
public:
  void feed(const checked_event& e);

private:
  struct task {
    std::string description;
    std::string role;
  };

  void expect(const json::array& tasks);
  void take(const json::object& step, const checked_event& e);
  void check_left(const checked_event& e);

  std::deque<task> expected_;
  bool may_be_refused_ = false; ///< they came with a decision
};

} // namespace convene::protocol
