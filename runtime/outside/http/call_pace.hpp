#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>

namespace convene::host {

/// What a provider of models or a service is asked for at most.
struct call_limits {
  std::int64_t calls = 16;            ///< at once
  std::int64_t calls_per_minute = 0;  ///< 0: any number
  std::int64_t tokens_per_minute = 0; ///< 0: any number
  std::int64_t queue = 4096;          ///< calls that wait; more are refused

  bool operator==(const call_limits&) const = default;
};

/// Says when the next call to a provider may begin. A pure value: time comes
/// in, in milliseconds, and never goes back.
class call_pace {
public:
  explicit call_pace(const call_limits& limits) : limits_(limits) {
    // nop
  }

  /// How long a call of so many tokens has to wait: 0: not at all; `until_end`:
  /// until another call ends.
  [[nodiscard]] std::int64_t wait_ms(std::int64_t now, std::int64_t tokens);

  static constexpr std::int64_t until_end = -1;

  /// A call of about so many tokens begins. Returns its number, for `end`.
  std::uint64_t begin(std::int64_t now, std::int64_t tokens);

  /// It is over. `tokens`: what it really used; below 0: unknown.
  void end(std::uint64_t call, std::int64_t tokens);

  /// The provider wants no calls for a while.
  void pause(std::int64_t now, std::int64_t for_ms);

private:
  struct entry {
    std::int64_t at = 0;
    std::int64_t tokens = 0;
  };

  void forget(std::int64_t now);

  call_limits limits_;
  std::int64_t open_ = 0;
  std::int64_t paused_until_ = 0;
  std::deque<entry> latest_; ///< the calls of the last minute
  std::uint64_t first_ = 0;  ///< the number of the first of them
  std::int64_t tokens_ = 0;  ///< of all of them
};

} // namespace convene::host
