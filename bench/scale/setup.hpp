#pragma once

#include <convene/convene.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>

namespace convene::bench {

inline constexpr std::int64_t hour_ms = 3'600'000;

inline convene::session_setup talk(convene::mode how, std::int64_t rounds) {
  convene::session_setup setup{.title = "scale",
                               .purpose = "measure",
                               .mode = how,
                               .task = "review the change"};
  setup.options.rounds = rounds;
  setup.options.max_turns = 1'000'000'000;
  setup.options.max_duration_ms = 24 * hour_ms;
  setup.options.turn_timeout_ms = hour_ms;
  return setup;
}

inline void add_agents(convene::session_setup& to, std::size_t count) {
  for (std::size_t at = 0; at < count; ++at)
    to.participants.push_back(convene::quick_agent(
      "agent-" + std::to_string(at), "role", [](const convene::turn_request&) {
        return convene::reply{.content = "ok"};
      }));
}

/// The result of a session that has to complete.
inline convene::session_result
completed(const convene::session_handle& session) {
  auto result = session.await();
  if (result && result->status == convene::collab_status::completed)
    return *std::move(result);
  std::fprintf(stderr, "a session did not complete: %s\n",
               result ? result->stop_reason.condition.c_str()
                      : to_string(result.error()).c_str());
  std::exit(1);
}

} // namespace convene::bench
