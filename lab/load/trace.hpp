#pragma once

#include <boost/json/object.hpp>
#include <convene/lab/load/load_order.hpp>
#include <convene/protocol/base/error.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <vector>

namespace convene::host {

/// One time that an agent was asked and answered.
struct trace_exchange {
  std::int64_t think_ms = 0;     ///< before it was asked
  std::int64_t prompt_bytes = 0; ///< of what it was asked
  std::int64_t answer_ms = 0;    ///< how long it took
  std::int64_t answer_bytes = 0; ///< of what it answered

  bool operator==(const trace_exchange&) const = default;
};

struct trace_session {
  load_time start{}; ///< since the trace begins
  std::vector<trace_exchange> exchanges;

  bool operator==(const trace_session&) const = default;
};

/// Recorded sessions in the order of their starts; those of children are among
/// them. One at least.
struct load_trace {
  std::vector<trace_session> sessions;
  std::size_t exchanges = 0;   ///< of all sessions
  std::uint64_t texts_cut = 0; ///< that were longer than `trace_text_bytes_max`
};

inline constexpr std::size_t trace_sessions_max = 100'000;
inline constexpr std::size_t trace_exchanges_max = 1'000'000; ///< of all
inline constexpr int trace_depth_max = 16; ///< children of children
/// The latest start: `start_ms` may count from 1970.
inline constexpr load_time trace_start_max = std::chrono::hours{24 * 36'525};
inline constexpr std::int64_t trace_text_bytes_max = 1'000'000;

/// Reads a trace, in any of the forms of docs/load.md: JSON Lines of sessions,
/// an event log or the folder of a run, a file of kv-cache-tester, or a folder
/// of these. Errors name the file and the line; bounds are `trace_sessions_max`
/// and the like, a file that is no trace is `trace_invalid`.
[[nodiscard]] protocol::result<load_trace>
read_trace(const std::filesystem::path& path);

/// Adds the session that an object describes, and its children. Pure. `start`
/// is when its parent started.
[[nodiscard]] protocol::result<void>
add_recorded(load_trace& to, const boost::json::object& from,
             load_time start = {}, int depth = 0);

/// Adds the sessions of an event log.
[[nodiscard]] protocol::result<void>
add_logged(load_trace& to, const std::filesystem::path& log);

/// Within the bounds: a number of an exchange, or a text's size, which is cut.
[[nodiscard]] std::int64_t bounded_ms(double milliseconds) noexcept;
[[nodiscard]] std::int64_t cut_text(load_trace& of, double bytes) noexcept;

/// Adds a session with what it exchanged, unless it has nothing, or there are
/// too many.
[[nodiscard]] protocol::result<void> add_session(load_trace& to,
                                                 trace_session&& what);

} // namespace convene::host
