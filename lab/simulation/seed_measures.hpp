#pragma once

#include <boost/json/object.hpp>
#include <convene/protocol/base/timestamp.hpp>
#include <convene/runtime/setup.hpp>

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace convene::host {

/// What one session came to, in numbers; docs/simulation.md says what each is.
struct seed_measures {
  std::int64_t duration_ms = 0;
  std::int64_t turns = 0;
  std::int64_t broadcasts = 0;
  std::int64_t token_wait_ms = 0;
  std::int64_t token_wait_max_ms = 0;
  std::int64_t failed_turns = 0;
  std::int64_t handoffs = 0;
  std::int64_t conflicts = 0;
  std::int64_t rework = 0;
  std::int64_t tokens = 0;
  std::int64_t cost_microusd = 0;
  std::int64_t steps = 0;      ///< of the plan
  std::int64_t steps_open = 0; ///< neither completed nor skipped

  bool operator==(const seed_measures&) const = default;
};

/// A measure with a distribution of its own, by the name that it is told by.
struct named_measure {
  std::string_view name;
  std::int64_t seed_measures::*value;
};
inline constexpr std::array<named_measure, 11> named_measures{{
  {"duration_ms", &seed_measures::duration_ms},
  {"turns", &seed_measures::turns},
  {"broadcasts", &seed_measures::broadcasts},
  {"token_wait_ms", &seed_measures::token_wait_ms},
  {"token_wait_max_ms", &seed_measures::token_wait_max_ms},
  {"failed_turns", &seed_measures::failed_turns},
  {"handoffs", &seed_measures::handoffs},
  {"conflicts", &seed_measures::conflicts},
  {"rework", &seed_measures::rework},
  {"tokens", &seed_measures::tokens},
  {"cost_microusd", &seed_measures::cost_microusd},
}};

/// Measures a session by its events and its result.
class seed_meter {
public:
  /// The session's next event.
  void feed(const boost::json::object& event);

  [[nodiscard]] seed_measures finish(const session_result& ended) const;

private:
  void take_turn(std::string_view who, protocol::timestamp_ms at);

  protocol::timestamp_ms started_at_ = 0;
  /// When a participant's latest turn was closed.
  std::map<std::string, protocol::timestamp_ms, std::less<>> free_since_;
  std::int64_t turns_ = 0;
  std::int64_t waited_ms_ = 0; ///< all turns together
  seed_measures so_far_;
};

} // namespace convene::host
