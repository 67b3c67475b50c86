#pragma once

#include <boost/json/object.hpp>
#include <convene/actors/behaviours/distribution.hpp>
#include <convene/lab/simulation/faults/fault_kinds.hpp>
#include <convene/protocol/base/error.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace convene::host {

/// How likely each kind strikes at each of its operations.
struct fault_rates {
  std::array<double, fault_kinds> of = {};

  bool operator==(const fault_rates&) const = default;
};

/// One fault: a kind, and the number of its operation.
struct fault_turn {
  fault_kind fault = fault_kind::crash;
  std::int64_t at = 1;

  bool operator==(const fault_turn&) const = default;
};

/// Which faults strike the seeds of a simulation: by one of rates, a script, or
/// `random`.
struct fault_spec {
  std::optional<fault_rates> rates;
  std::optional<std::vector<fault_turn>> script;
  /// The highest rate: each seed has some of the kinds, each at a rate of its
  /// own.
  std::optional<double> random;

  actors::distribution delay_ms{actors::distribution::shape::uniform, 1, 5000};
  actors::distribution away_ms{actors::distribution::shape::uniform, 0, 60000};
  std::int64_t clock_jump_ms = 3'600'000; ///< the farthest, forth or back
  /// 0: the log is one file; else in segments of about this size.
  std::int64_t segment_bytes = 0;
  /// With segments, above 0: the log has had other sessions before, and loses
  /// its first segments as `log_options::keep_bytes` says.
  std::int64_t keep_bytes = 0;

  [[nodiscard]] bool asks_for(fault_kind kind) const noexcept;

  bool operator==(const fault_spec&) const = default;
};

/// Most turns of a script.
inline constexpr std::size_t fault_script_max = 10'000;

/// Reads what `--faults` is given: `KIND=RATE,...`, where the kind `all` stands
/// for all others; `random`; JSON, which begins with `{`; or the name of a file
/// with JSON. Errors name the place.
[[nodiscard]] protocol::result<fault_spec> read_faults(std::string_view given);

/// A script with the settings of `like`, as JSON that `read_faults` takes.
[[nodiscard]] boost::json::object
encode_script(const std::vector<fault_turn>& script, const fault_spec& like);

} // namespace convene::host
