#pragma once

#include <boost/json/value.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace convene::session {

/// The order of a single agent's events: SAInitialized, SAContextLoaded,
/// SAPlanEvaluated, then steps, then SATraceEmitted, SACompleted, all of one
/// sa_id. Takes the events of one run; those of the twelve families may stand
/// between them. Rules
/// - `sa_event_order`: an event comes too early, too late or again,
/// - `sa_one_run`: an event has another sa_id,
/// - `sa_step_closed_once`: an attempt at a step is closed twice or never, or
///   begins while the one before is open,
/// - `sa_event_payload`: a member is missing that the profile asks for,
/// - `sa_counts`: SACompleted counts other steps than there are.
class agent_order {
public:
  using report
    = std::function<void(std::string_view rule, std::string message)>;

  void feed(const boost::json::value& event, const report& to);

  /// The same of an event about a step that is known to have all members that
  /// the profile asks for.
  void feed_step(std::string_view type, std::string_view sa_id,
                 std::string_view step_id, const report& to);

  /// The log ends. `allow_unfinished`: it may go on later.
  void finish(bool allow_unfinished, const report& to) const;

private:
  void check_run(std::string_view type, std::string_view sa_id,
                 const report& to);
  void check_phase(std::string_view type, const report& to);
  void check_step(std::string_view type, std::string_view step_id,
                  const report& to);
  void check_counts(const boost::json::object& payload, const report& to) const;

  std::string sa_id_;
  std::string last_; ///< type of the latest of the run
  int phase_ = -1;
  std::map<std::string, bool, std::less<>> open_; ///< by step_id
  std::int64_t executed_ = 0;
  std::int64_t succeeded_ = 0;
};

} // namespace convene::session
