#pragma once

#include <boost/json/object.hpp>
#include <convene/protocol/base/uuid.hpp>

#include <cstdint>
#include <map>
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
  /// Takes the session's next event; returns what it means for the agent, in
  /// this memory.
  [[nodiscard]] std::vector<boost::json::object>
  feed(const boost::json::object& session_event,
       boost::json::storage_ptr memory = {});

private:
  /// A step that is being executed, by the turn's number.
  struct attempt {
    std::string step_id;
    std::string role;
    std::int64_t number = 1;
    std::string execution_id;
  };

  using output = std::vector<boost::json::object>;

  boost::json::object& begin(output& to, std::string_view type);
  boost::json::object& add(output& to, std::string_view type);
  boost::json::object& add_family(output& to, std::string_view type,
                                  std::string_view family);
  [[nodiscard]] boost::json::object& add_to_plan(output& to,
                                                 std::string_view type);
  void start(output& to, const boost::json::object& payload);
  void begin_step(output& to, const boost::json::object& payload);
  void end_step(output& to, const boost::json::object& payload);
  void execution(output& to, std::string_view type, std::string_view status,
                 const attempt& of);
  void pass_on(output& to, const boost::json::object& event);
  void end(output& to, const boost::json::object& payload);

  boost::json::storage_ptr memory_; ///< of what `feed` makes
  protocol::uuid key_;
  std::string sa_id_;
  std::string time_;
  std::string context_id_;
  std::string plan_id_;
  std::uint64_t written_ = 0;
  std::map<std::string, std::string, std::less<>> executor_kinds_; ///< by role
  std::map<std::int64_t, attempt> open_;
  std::int64_t executed_ = 0;
  std::int64_t succeeded_ = 0;
  std::int64_t failed_ = 0;
};

} // namespace convene::session
