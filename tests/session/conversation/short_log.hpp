#pragma once

#include <session/conversation/talk.hpp>

namespace convene::test {

/// A log with one conversation of two exchanges.
inline std::vector<run_event> short_log() {
  talk made;
  REQUIRE(made
            .open({.node_id = "ask",
                   .schema = json::object{{"type", "string"}},
                   .timeout_ms = 50})
            .answer);
  REQUIRE(made.exchange(1, "m1").answer);
  REQUIRE(made.exchange(2, "m2").answer);
  REQUIRE(made.feed(closing(turn_of(3, "m3"))).answer);
  return made.log;
}

/// Why a log is refused.
inline std::string rule_of(const std::vector<run_event>& log) {
  const auto made = folded("r", log);
  return made ? "" : made.error().rule;
}

} // namespace convene::test
