#pragma once

#include <boost/json/object.hpp>
#include <convene/protocol/base/api.hpp>
#include <convene/runtime/runtime.hpp>
#include <convene/runtime/single_agent/agent_run.hpp>

#include <map>
#include <optional>
#include <string>

namespace convene {

/// A single agent's run, in C++.
struct single_agent_options {
  /// As the program takes it with --profile sa: `plan`, and if wanted
  /// `context`, `confirm`, `behaviours` by agent_role, `session`; the documents
  /// embedded.
  boost::json::object scenario;
  /// By agent_role, "agent" for steps without one: functions that execute the
  /// steps instead of a behaviour; called for several steps at once.
  std::map<std::string, reply_function> executors = {};
  runtime_options runtime = {};
};

struct single_agent_outcome {
  bool success = false; ///< every step is completed or skipped
  /// Unless the run could not be made, or be ended.
  std::optional<host::agent_run> output;
  /// Why there is no output.
  std::optional<protocol::error> error;
  host::agent_log events; ///< as far as it came
};

/// Executes the plan and waits for its end. With a log in `runtime`, the log is
/// that of the session that executes the plan.
[[nodiscard]] CONVENE_API single_agent_outcome
run_single_agent_flow(single_agent_options options);

} // namespace convene
