#pragma once

#include <boost/json/object.hpp>
#include <convene/protocol/base/uuid.hpp>
#include <convene/protocol/events/raw_member.hpp>
#include <convene/session/single_agent/told_event.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace convene::session {

/// Tells a single agent's run, from the log of the session that executes its
/// plan: the SA events, and the events of the twelve families about the plan,
/// its steps and what was done outside, each as the official schemas have it
/// (docs/single-agent.md). A pure function of the log: the same log gives the
/// same events, ids included.
class agent_events {
public:
  /// Takes the line of the session's next event, as `json::serialize` spells
  /// it; another one tells nothing. Returns what it means for the agent, which
  /// is there until the next call and as long as the line is.
  [[nodiscard]] std::span<const told_event> feed(std::string_view line);

private:
  /// A step that is being executed, by the turn's number.
  struct attempt {
    std::string step_id; ///< as JSON, as is the role
    std::string role;
    std::int64_t number = 1;
    protocol::uuid execution_id;
  };

  bool read(std::string_view line);
  told_event& begin(std::string_view type);
  told_event& add(std::string_view type);
  told_event& add_family(std::string_view type, std::string_view family);
  [[nodiscard]] told_event& add_to_plan(std::string_view type);
  void start(std::string_view line);
  void note_executors(const boost::json::object& spec,
                      std::vector<std::string_view>& types);
  void begin_step();
  void end_step();
  void add_result(told_event& to);
  void add_error(told_event& to);
  void execution(std::string_view type, std::string_view status,
                 const attempt& of);
  void pass_on(std::string_view type, std::string_view family);
  void pass_on_payload(told_event& to);
  void end(std::string_view line);

  std::vector<protocol::raw_member> event_;   ///< the session's
  std::vector<protocol::raw_member> payload_; ///< its own members
  std::vector<told_event> told_;
  std::size_t told_count_ = 0;
  protocol::uuid key_;
  protocol::uuid trace_id_;
  // As JSON.
  std::string sa_id_ = R"("")";
  std::string context_id_ = R"("")";
  std::string plan_id_ = R"("")";
  std::string_view time_; ///< of the session's event
  std::uint64_t written_ = 0;
  /// By role, as JSON.
  std::map<std::string, std::string_view, std::less<>> executor_kinds_;
  std::map<std::int64_t, attempt> open_;
  attempt ended_; ///< the latest
  std::int64_t executed_ = 0;
  std::int64_t succeeded_ = 0;
  std::int64_t failed_ = 0;
};

} // namespace convene::session
