#pragma once

#include <convene/protocol/documents/describe.hpp>
#include <convene/runtime/outside/http/call_pace.hpp>
#include <convene/runtime/outside/participants/request_json.hpp>
#include <convene/session/options/options.hpp>

// What the settings of several participants have in common, as JSON.

namespace convene::host {

void describe(auto& v, protocol::of<call_limits> auto& x) {
  using protocol::between;
  v.defaulted("calls", x.calls, between(1, 10'000));
  v.defaulted("calls_per_minute", x.calls_per_minute, between(0, 10'000'000));
  v.defaulted("tokens_per_minute", x.tokens_per_minute,
              between(0, 1'000'000'000'000));
  v.defaulted("queue", x.queue, between(1, 100'000));
}

/// How a service is called.
void describe_calls(auto& v, auto& x) {
  v.defaulted("workspace", x.workspace);
  v.defaulted("timeout_ms", x.timeout_ms,
              protocol::between(1, session::duration_ms_max));
  v.defaulted("retries", x.retries, protocol::between(0, 100));
  v.defaulted("repeatable", x.repeatable);
  v.defaulted("limits", x.limits);
}

} // namespace convene::host

namespace convene::protocol {

inline constexpr std::string_view workspace_part_words[] = {"snapshot",
                                                            "changes"};
template <>
inline constexpr std::span<const std::string_view>
  words_of<host::workspace_part>{workspace_part_words};

} // namespace convene::protocol
