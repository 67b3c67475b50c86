#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/runtime/log/event_log/mutant.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

namespace convene::host {

/// A place on the log: the number of bytes of lines appended before it since
/// the writer was opened.
using log_position = std::uint64_t;

/// Called once when a place is durable, or when it can never be.
using when_kept = std::function<void(protocol::result<void>)>;

/// How far a log is durable, and who waits to be told: what is acknowledged
/// when, for whoever writes a log, on a thread of its own or not. The first
/// failure is final. Not thread-safe: the caller locks.
class log_progress {
public:
  /// What follows from a group that was kept, or not: everything before `until`
  /// is durable, and these calls are due, to be made in this order by `make`.
  struct news {
    protocol::result<log_position> until;
    std::vector<when_kept> calls;

    void make() const;
  };

  /// The place after everything appended so far.
  [[nodiscard]] log_position appended() const noexcept {
    return appended_;
  }

  /// The place before which everything is durable.
  [[nodiscard]] log_position kept() const noexcept {
    return kept_;
  }

  /// Bytes that are appended and not kept.
  [[nodiscard]] log_position waiting() const noexcept {
    return appended_ - kept_;
  }

  /// Why nothing more becomes durable.
  [[nodiscard]] const std::optional<protocol::error>& failure() const noexcept {
    return failure_;
  }

  /// Takes note of so many bytes; returns the place after them.
  log_position append(std::size_t bytes) noexcept {
    return appended_ += bytes;
  }

  void fail(protocol::error why);

  /// Whether nobody waits for this place any more: it is durable, or never will
  /// be.
  [[nodiscard]] bool is_settled(log_position place) const noexcept {
    return failure_ || kept_ >= place || off(log_mutant::acknowledgement_wait);
  }

  /// What became of a settled place.
  [[nodiscard]] protocol::result<void> outcome(log_position place) const;

  /// Keeps a call for later, or leaves it alone and returns false: its place is
  /// settled.
  bool call_later(log_position place, when_kept& then);

  /// Writes the next group, of so many bytes of lines: `keep` writes and syncs
  /// it and returns a `result<void>`, and only then `tell` gets the news.
  /// Either may let others in meanwhile, but for another group.
  template <class Keep, class Tell>
  void write(std::size_t bytes, Keep&& keep, Tell&& tell) {
    if (off(log_mutant::sync_order))
      tell(settle({}, std::exchange(bytes, 0)));
    const protocol::result<void> outcome = std::forward<Keep>(keep)();
    tell(settle(outcome, bytes));
  }

private:
  struct waiting_call {
    log_position place = 0;
    when_kept then;
  };

  [[nodiscard]] news settle(const protocol::result<void>& outcome,
                            std::size_t bytes);

  log_position appended_ = 0;
  log_position kept_ = 0;
  std::vector<waiting_call> calls_;
  std::optional<protocol::error> failure_;
};

} // namespace convene::host
