#pragma once

#include <convene/protocol/base/seal.hpp>
#include <convene/protocol/base/uuid.hpp>

#include <map>
#include <string>
#include <string_view>

namespace convene::server {

/// The seals of the lines of a log of runs: each follows from the lines of its
/// run before it, so that no line can be changed, left out or moved alone.
class run_seals {
public:
  /// `is_trimmed`: the log has lost its first segments on purpose.
  explicit run_seals(bool is_trimmed) : is_trimmed_{is_trimmed} {}

  /// Takes the next line that was read; false: it does not have the seal that
  /// follows. Lines without one are those of an older version, which come
  /// before all others. If the log is trimmed, a run's first line is taken as
  /// it is unless its event is the first one of a run.
  [[nodiscard]] bool take(const protocol::uuid& run,
                          const protocol::sealed_text& line,
                          std::string_view event);

  /// Seals the next line of a run, which is to be appended.
  [[nodiscard]] std::string seal(const protocol::uuid& run,
                                 std::string_view line);

  /// The last seal of a run; empty: it has no line.
  [[nodiscard]] std::string last_of(const protocol::uuid& run) const;

  /// Goes back to an earlier seal, as what followed was not appended.
  void restore(const protocol::uuid& run, std::string seal);

  /// The run has ended: no line follows.
  void forget(const protocol::uuid& run);

private:
  std::map<protocol::uuid, std::string> last_;
  bool is_trimmed_ = false;
  bool has_sealed_ = false; ///< some line had a seal
};

} // namespace convene::server
