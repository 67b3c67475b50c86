#pragma once

#include <string>
#include <string_view>

/// The layout of a state store's keys: an area, a slash, an id.
namespace convene::host::state_area {

inline constexpr std::string_view contexts = "contexts";
inline constexpr std::string_view plans = "plans";
inline constexpr std::string_view traces = "traces";
inline constexpr std::string_view confirms = "confirms";
inline constexpr std::string_view roles = "roles";
inline constexpr std::string_view dialogs = "dialogs";
inline constexpr std::string_view collabs = "collabs";
inline constexpr std::string_view extensions = "extensions";
inline constexpr std::string_view core = "core";
inline constexpr std::string_view networks = "networks";
inline constexpr std::string_view steps = "steps";
inline constexpr std::string_view learning_samples = "learning_samples";
/// Not of the protocol: the shared resources of a session, by its id.
inline constexpr std::string_view workspaces = "workspaces";

/// All events, by id; append-only.
inline constexpr std::string_view events_global = "events/global";
/// Those with a trace_id, below it; append-only.
inline constexpr std::string_view events_trace = "events/trace";

/// What the keys of both areas of events begin with. No other key may.
inline constexpr std::string_view events = "events/";

} // namespace convene::host::state_area

namespace convene::host {

[[nodiscard]] inline std::string state_key(std::string_view area,
                                           std::string_view id) {
  return std::string{area}.append("/").append(id);
}

[[nodiscard]] inline bool is_event_key(std::string_view key) noexcept {
  return key.starts_with(state_area::events);
}

} // namespace convene::host
