#pragma once

#include <convene/integrations/intake/incoming.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace convene::host {

/// The most runs and invocations that are told apart.
inline constexpr std::size_t outside_runs_max = 100'000;

enum class outcome_word : std::uint8_t { succeeded, open, failed };

/// What became of the latest run of a pipeline, or invocation of a tool.
struct outside_outcome {
  incoming_kind kind = incoming_kind::ci; ///< or tool
  std::string name;                       ///< the pipeline_id or tool_id
  std::string run;                        ///< the run_id or invocation_id
  std::string status;                     ///< as the event says
  outcome_word outcome = outcome_word::open;
};

/// What CI and tools came to, by events in any order; of two of one time the
/// one that is taken later counts. A run that has ended is not open again.
class outside_outcomes {
public:
  /// Of CI only runs of the commit count, unless it is empty.
  explicit outside_outcomes(std::string commit = {})
    : commit_{std::move(commit)} {}

  /// Events of other kinds change nothing. Rule `outside_runs_max`.
  [[nodiscard]] protocol::result<void> take(const incoming& what);

  /// The latest of each pipeline of each provider and each tool.
  [[nodiscard]] std::vector<outside_outcome> latest() const;

private:
  struct run {
    outside_outcome what;
    /// The latest that is known of it: its time, and the event's number.
    std::pair<protocol::timestamp_ms, std::uint64_t> at{};
  };

  std::string commit_;
  std::uint64_t taken_ = 0;
  /// By kind, provider, pipeline or tool, and run.
  std::map<std::array<std::string, 4>, run> runs_;
};

} // namespace convene::host
