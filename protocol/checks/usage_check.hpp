#pragma once

#include <convene/protocol/checks/session_facts.hpp>
#include <convene/protocol/documents/reply.hpp>
#include <convene/protocol/events/native_events.hpp>

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace convene::protocol {

/// The rules about what one session uses, event by event:
/// - usage_matches: MAPSessionCompleted sums up the usage of all replies and
///   actions
/// - usage_recorded: right behind the end of an action that used anything,
///   usage_recorded says what, with the sums so far and what is left of the
///   budget; then budget_exceeded, for each that it used up; nowhere else
/// - budget_kept: nobody is asked, and no action begins, once the session's
///   budget is used up
class usage_check {
public:
  void feed(const checked_event& e);

private:
  /// An event that must come next.
  struct expected_event {
    std::string type;
    json::object payload;
  };

  void check_recorded(const checked_event& e);
  void end_action(const checked_event& e);
  template <class Event>
  void expect(const Event& event);
  [[nodiscard]] bool is_used_up() const;

  usage total_;
  std::optional<std::int64_t> tokens_; ///< the budget
  std::optional<std::int64_t> cost_microusd_;
  /// The models that are being called, by execution_id.
  std::map<std::string, std::string, std::less<>> models_;
  std::vector<expected_event> expected_; ///< in reverse
};

} // namespace convene::protocol
