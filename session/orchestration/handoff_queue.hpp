#pragma once

#include <convene/session/routing/policy.hpp>

#include <utility>
#include <vector>

namespace convene::session {

/// The most turns in a session that may wait for a busy receiver.
inline constexpr std::size_t handoffs_waiting_max = 1024;

/// Turns that were handed on and whose receiver is busy. Guarantees: each
/// leaves once, those of one receiver in the order in which they came, and
/// there are never more than `handoffs_waiting_max`.
class handoff_queue {
public:
  [[nodiscard]] bool is_full() const noexcept {
    return waiting_.size() >= handoffs_waiting_max;
  }
  [[nodiscard]] bool empty() const noexcept {
    return waiting_.empty();
  }
  [[nodiscard]] std::size_t size() const noexcept {
    return waiting_.size();
  }
  [[nodiscard]] const std::vector<dispatch>& all() const noexcept {
    return waiting_;
  }

  /// Only if it is not full.
  void add(dispatch&& next) {
    waiting_.push_back(std::move(next));
  }
  /// The first whose receiver `fits`, or null.
  template <class Fits>
  [[nodiscard]] const dispatch* first(Fits&& fits) const {
    for (const auto& each : waiting_)
      if (fits(each.participant))
        return &each;
    return nullptr;
  }
  /// Takes one out that is in it.
  [[nodiscard]] dispatch take(const dispatch* which) {
    const auto at = waiting_.begin() + (which - waiting_.data());
    auto taken = std::move(*at);
    waiting_.erase(at);
    return taken;
  }
  [[nodiscard]] std::vector<dispatch> take_all() noexcept {
    return std::exchange(waiting_, {});
  }

  /// For snapshots.
  template <class Self, class F>
  static void fields(Self& x, F& f) {
    auto& [waiting] = x;
    f("waiting", waiting);
  }

private:
  std::vector<dispatch> waiting_;
};

} // namespace convene::session
