#pragma once

#include <boost/json/object.hpp>
#include <convene/lab/simulation/property.hpp>
#include <convene/lab/simulation/seed_findings.hpp>
#include <convene/lab/simulation/seed_log.hpp>
#include <convene/protocol/base/error.hpp>
#include <convene/runtime/outside/processes/processes.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>

namespace convene::host {

/// Bounds of a program that judges a seed: its time, and its standard output.
inline constexpr std::int64_t property_program_ms_max = 60'000;
inline constexpr std::size_t property_output_bytes_max = std::size_t{64} << 10;

/// A property that a program judges. `path` is a file, or a name to be looked
/// for in PATH. Error: errc::usage, rule `property_program`: there is none that
/// can be executed.
[[nodiscard]] protocol::result<property>
find_property_program(const std::string& path);

/// Runs the programs that judge seeds. Thread-safe.
class property_programs {
public:
  /// What of a program's standard error is told, on another thread, a line at a
  /// time; may be empty.
  explicit property_programs(when_error_line error_line = {})
    : error_line_(std::move(error_line)) {}

  /// Whether the property holds for a session: the program gets a line
  /// {"seed", "result"} and then the lines of the log on its standard input,
  /// and exits with 0 if it does, with 1 if not; its first line of output then
  /// says why. Any other end is a fault of the program, and told as such. Once
  /// `stop` is set the program is ended.
  [[nodiscard]] bool holds(const property& what, std::uint64_t seed,
                           const boost::json::object& result,
                           const seed_log& log, const std::atomic<bool>& stop,
                           seed_findings& found);

private:
  when_error_line error_line_;
  processes programs_;
};

} // namespace convene::host
