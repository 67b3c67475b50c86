#pragma once

#include <boost/json/object.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace convene::session {

/// The stage of a run before its first step.
inline constexpr std::string_view start_stage = "start";

/// A step that a run completed, and so a stage to which it can go back.
struct completed_step {
  std::string step_id;
  std::string description;
  std::string agent_role;   ///< `agent` where the step has none
  std::uint64_t events = 0; ///< on the log, up to the end of the stage
  boost::json::object done; ///< [output_summary], [result]
};

/// Why the last attempt at a step was not completed.
struct step_failure {
  std::string code;
  std::string message;
};

/// The stages of a single agent's run, by the log of the session that executes
/// its plan: the plan's start, and each completed step. A stage is a number of
/// events: what they make is its snapshot.
class run_stages {
public:
  /// Takes the session's next event.
  void feed(const boost::json::object& event);

  [[nodiscard]] const std::string& sa_id() const noexcept {
    return sa_id_;
  }
  /// The scenario that the session started with.
  [[nodiscard]] const boost::json::object& spec() const noexcept {
    return spec_;
  }
  [[nodiscard]] bool has_ended() const noexcept {
    return has_ended_;
  }
  /// That of the last event.
  [[nodiscard]] const std::string& time() const noexcept {
    return time_;
  }
  /// In the order in which they were completed.
  [[nodiscard]] const std::vector<completed_step>& completed() const noexcept {
    return completed_;
  }
  /// By step, of those that are not completed.
  [[nodiscard]] const std::map<std::string, step_failure, std::less<>>&
  failures() const noexcept {
    return failures_;
  }
  /// Steps that are not completed and were being executed when the log ended,
  /// or when a signal, a timeout or a crash ended the attempt: nobody knows
  /// what they did. By id.
  [[nodiscard]] std::vector<std::string> open() const;

  /// How many steps were completed up to a stage; nothing: the run has no such
  /// stage.
  [[nodiscard]] std::optional<std::size_t>
  place_of(std::string_view stage) const;
  /// Where the run ended: after all stages.
  [[nodiscard]] std::size_t end_place() const noexcept {
    return completed_.size() + 1;
  }
  /// How many events of the log make the stage at a place, all of them at the
  /// end; nothing: the plan never began.
  [[nodiscard]] std::optional<std::uint64_t> events_at(std::size_t place) const;

  /// The behaviour that undoes what a role does; null: there is none.
  [[nodiscard]] const boost::json::object*
  compensation_of(std::string_view role) const;

private:
  /// What is known of a step that may become a stage.
  completed_step& known(std::string_view step_id);
  void plan(const boost::json::object& step);
  void dispatch(const boost::json::object& payload);
  void close(const boost::json::object& payload);
  void complete(std::string_view step_id);

  std::string sa_id_;
  std::string time_;
  boost::json::object spec_;
  std::uint64_t events_ = 0;
  std::optional<std::uint64_t> start_;
  bool has_ended_ = false;
  std::map<std::int64_t, std::string> open_; ///< steps by the turn's number
  std::map<std::string, completed_step, std::less<>> steps_;
  std::set<std::string, std::less<>> uncertain_; ///< ended, nobody knows how
  std::map<std::string, step_failure, std::less<>> failures_;
  std::vector<completed_step> completed_;
  std::map<std::string, std::size_t, std::less<>> places_; ///< of completed
};

} // namespace convene::session
