#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

// Whether what several nodes did with one session's log can have happened one
// at a time, in an order that time allows: the history is linearizable.
//
// Each acknowledged append returns its place, and the log is known in the end,
// so that the log's order is the only candidate. The history is linearizable if
// that order holds each acknowledged append where it was acknowledged and no
// refused one, if epochs do not fall along it, if each read was a prefix of it,
// and if no operation that ended before another began comes after that one in
// it.

namespace convene::test {

/// When an operation began and ended, by any clock that all share.
struct call_span {
  std::uint64_t begin = 0;
  /// Of an operation whose outcome was never learned: `open`.
  std::uint64_t end = open;

  static constexpr auto open = std::numeric_limits<std::uint64_t>::max();
};

enum class append_outcome { acknowledged, refused, unknown };

/// Tried to append an event under an epoch. Bodies are unique.
struct append_call {
  call_span span;
  std::uint64_t epoch = 0;
  std::string body;
  append_outcome outcome = append_outcome::unknown;
  std::uint64_t place = 0; ///< of an acknowledged one; the first event's is 1
};

/// Saw these events, from the first on.
struct read_call {
  call_span span;
  std::vector<std::string> bodies;
};

/// Made a node the owner with this epoch, when the log had `length` events.
/// All that took effect, by their epochs: 1, 2 and so on.
struct ownership_grant {
  call_span span;
  std::uint64_t length = 0;
};

struct logged_append {
  std::uint64_t epoch = 0;
  std::string body;

  friend bool operator==(const logged_append&, const logged_append&) = default;
};

struct append_history {
  std::vector<ownership_grant> grants;
  std::vector<append_call> appends;
  std::vector<read_call> reads;
  std::vector<logged_append> log; ///< in the end
};

/// Why the history is not linearizable; empty: it is. O(n log n) in operations,
/// and what the reads have seen is read once.
[[nodiscard]] std::string judge(const append_history& history);

} // namespace convene::test
