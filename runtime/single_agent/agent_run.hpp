#pragma once

#include <boost/json/object.hpp>
#include <convene/protocol/base/api.hpp>
#include <convene/protocol/base/error.hpp>
#include <convene/session/single_agent/agent_events.hpp>
#include <convene/session/single_agent/agent_trace.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace convene::host {

/// What a single agent's run leaves behind.
struct agent_run {
  std::string sa_id; ///< the id of the session, too
  boost::json::object context;
  boost::json::object plan;
  std::optional<boost::json::object> confirm;
  boost::json::object trace;
  std::vector<boost::json::object> events;
  boost::json::object result; ///< `result.json`
};

/// Makes a run out of the session's log, as it is written or read.
class agent_recorder {
public:
  /// Takes complete lines, in log order.
  CONVENE_API void feed(std::string_view lines);

  /// The session has ended: its documents, and its result.json without or with
  /// paths. Refuses (errc::internal) what is not valid by the schemas or breaks
  /// a rule of the profile, which would be a fault of convene's.
  [[nodiscard]] CONVENE_API protocol::result<agent_run>
  finish(boost::json::object context, boost::json::object plan,
         std::optional<boost::json::object> confirm,
         boost::json::object result) &&;

  [[nodiscard]] const std::vector<boost::json::object>&
  events() const noexcept {
    return all_;
  }

private:
  session::agent_events events_;
  session::agent_trace trace_;
  std::vector<boost::json::object> all_;
};

/// Whether everything in the run is valid by its schema, and the SA invariants,
/// those of events and the order of the profile's events hold.
[[nodiscard]] CONVENE_API protocol::result<void>
check_agent_run(const agent_run& run);

} // namespace convene::host
