#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/runtime/outside/http/call_pace.hpp>
#include <convene/runtime/outside/participants/request_json.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace convene::host {

/// What an agent remembers of earlier turns: how `contextId` is chosen.
enum class a2a_context : bool {
  session, ///< one context for all turns of the participant in its session
  turn,    ///< a new one for each turn, chosen by the agent
};

/// {"type": "a2a", ...}; see docs/agents/a2a.md.
struct a2a_settings {
  std::string card;        ///< the URL of the agent card
  std::string api_key_env; ///< names an environment variable; empty: no key
  a2a_context context = a2a_context::session;
  workspace_part workspace = workspace_part::snapshot;
  std::int64_t timeout_ms = 300'000; ///< of one call
  std::int64_t retries
    = 2;                  ///< for transient errors; of sending if `repeatable`
  bool repeatable = true; ///< sending a message twice is harmless
  call_limits limits;     ///< shared by all participants with this host

  bool operator==(const a2a_settings&) const = default;
};

/// Reads the settings; `pointer` is their place, for errors.
[[nodiscard]] protocol::result<a2a_settings>
read_a2a_settings(const protocol::json::value& from, std::string_view pointer);

} // namespace convene::host
