#pragma once

#include <boost/json/object.hpp>
#include <convene/protocol/base/api.hpp>
#include <convene/protocol/base/error.hpp>
#include <convene/protocol/documents/plan.hpp>
#include <convene/protocol/documents/trace.hpp>
#include <convene/runtime/single_agent/agent_log.hpp>
#include <convene/runtime/single_agent/event_judge.hpp>
#include <convene/session/single_agent/agent_events.hpp>
#include <convene/session/single_agent/agent_order.hpp>
#include <convene/session/single_agent/agent_trace.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace convene::host {

/// What a single agent's run leaves behind.
struct agent_run {
  std::string sa_id; ///< the id of the session, too
  boost::json::object context;
  boost::json::object plan;
  std::optional<boost::json::object> confirm;
  agent_log events;
  protocol::trace outline;    ///< the Trace without its events
  std::size_t traced = 0;     ///< how many of the events, from the first on
  boost::json::object result; ///< `result.json`

  /// The Trace, made when it is asked for.
  [[nodiscard]] CONVENE_API boost::json::object trace() const;
};

/// Makes a run out of the session's log, as it is written or read.
class agent_recorder {
public:
  /// Takes complete lines, in log order, as a session writes them.
  CONVENE_API void feed(std::string_view lines);

  /// Takes the log's next event.
  CONVENE_API void feed(const boost::json::object& event);

  /// The session has ended: its documents, `executed` being its plan once more,
  /// and its result.json with or without paths. Refuses (errc::internal) what
  /// is not valid by the schemas or breaks a rule of the profile, which would
  /// be a fault of convene's.
  [[nodiscard]] CONVENE_API protocol::result<agent_run>
  finish(boost::json::object context, boost::json::object plan,
         const protocol::plan& executed,
         std::optional<boost::json::object> confirm,
         boost::json::object result) &&;

  [[nodiscard]] const agent_log& events() const noexcept {
    return log_;
  }

private:
  void feed_plain(std::string_view line);
  void record(const session::told_event& told);
  void check_traced(boost::json::object&& event);
  void note(const protocol::result<void>& checked);

  session::agent_events events_;
  session::agent_trace trace_;
  session::agent_order order_;
  agent_log log_;
  event_judge judge_;
  std::optional<protocol::error> fault_; ///< the first
};

} // namespace convene::host
