#pragma once

#include <convene/actors/behaviours/turn_request.hpp>
#include <convene/session/spec/spec.hpp>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace convene::actors {

/// What a request is about, and which attempt at it this is.
struct task_attempt {
  std::string place;
  std::uint32_t number = 0; ///< from 0
};

/// Names what the requests of one session are about, so that it is the same
/// whoever is asked and by whatever mode: a step by its place in the scenario,
/// `step 3`, or by what added it and as which one, `step 3.2`; the session's
/// own task; for a broadcast, a decision and a vote also who is asked. Never by
/// an id that was generated. Not thread-safe.
class task_places {
public:
  explicit task_places(const session::spec& what);

  /// The session's next events, complete lines, before anybody is asked because
  /// of them.
  void observe(std::string_view lines);

  /// Counts the request as the next attempt.
  [[nodiscard]] task_attempt attempt_of(const turn_request& asked);

private:
  void observe_event(const protocol::json::object& event);
  void add_step(const protocol::json::object& step);
  [[nodiscard]] std::string place_of(const turn_request& asked) const;
  [[nodiscard]] const std::string& place_of_step(std::string_view id) const;

  template <class Value>
  using by_name = std::map<std::string, Value, std::less<>>;

  std::string task_;
  by_name<std::string> steps_;      ///< places by step id
  by_name<std::string> turns_;      ///< places of open turns by token
  by_name<std::uint32_t> attempts_; ///< by place
  by_name<std::uint32_t> children_; ///< by place
  std::string adds_; ///< the place of what was answered last; empty: nothing
};

} // namespace convene::actors
