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
  /// Takes the next line that was read; false: it does not have the seal that
  /// follows. Lines without one are those of an older version, which come
  /// before all others. Of a run whose first line is no start, that line is
  /// taken as it is: segments before it may have been removed.
  [[nodiscard]] bool take(const protocol::uuid& run,
                          const protocol::sealed_text& line);

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
  bool has_sealed_ = false; ///< some line had a seal
};

} // namespace convene::server
