#pragma once

#include <convene/lab/load/load_order.hpp>

#include <vector>

namespace convene::host {

/// What a load is put on, and the clock by which it is measured. Used by the
/// generator's thread alone.
class load_target {
public:
  virtual ~load_target() = default;

  /// Time since the load began.
  [[nodiscard]] virtual load_time now() = 0;

  /// Starts a session, or has it started; its end is told by `take`.
  virtual void start(const load_order& order) = 0;

  /// The sessions whose end was reported since this was called last.
  [[nodiscard]] virtual std::vector<load_ending> take() = 0;

  /// Waits until then, or until a session has ended.
  virtual void wait_until(load_time when) = 0;

  /// Gives up what has not ended.
  virtual void abandon() = 0;
};

} // namespace convene::host
