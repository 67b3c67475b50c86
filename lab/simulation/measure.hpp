#pragma once

#include <boost/json/object.hpp>
#include <convene/protocol/base/error.hpp>
#include <convene/runtime/setup.hpp>
#include <convene/session/workspace/view.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace convene::host {

/// What a session has that can be measured.
struct measured_session {
  boost::json::object result; ///< as in result.json
  std::map<std::string, std::uint64_t, std::less<>> events; ///< by type
  session::workspace_view workspace;                        ///< at the end
};

/// An expression over a session. Thread-safe, like any value that is never
/// written.
class measure_expression;

/// A measure of the user's own.
struct measure {
  std::string name;
  std::shared_ptr<const measure_expression> what;

  /// Nothing: the session has no such number, or it cannot be divided by.
  [[nodiscard]] std::optional<double> of(const measured_session& from) const;
};

/// Most measures of one simulation, and the longest expression, in bytes, with
/// at most so many parts within each other.
inline constexpr std::size_t measures_max = 100;
inline constexpr std::size_t measure_bytes_max = 1'000;
inline constexpr std::size_t measure_depth_max = 50;

/// Reads `NAME=EXPR`, as docs/simulation.md has it. Errors are errc::usage,
/// with the rule `measure`, and say at which column they are; a name that
/// already means something else has the rule `measure_name`.
[[nodiscard]] protocol::result<measure> parse_measure(std::string_view text);

} // namespace convene::host
