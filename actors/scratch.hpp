#pragma once

#include <memory>
#include <utility>

namespace convene::actors {

/// A `T` that stays with its thread from one use to the next, as it was left,
/// so that its memory serves again. Uses may nest, since where time is virtual
/// what an actor calls may run other actors: the inner one gets another `T`.
template <class T>
class scratch {
public:
  scratch() : held_(std::exchange(slot(), nullptr)) {
    if (!held_)
      held_ = std::make_unique<T>();
  }

  scratch(const scratch&) = delete;
  scratch& operator=(const scratch&) = delete;

  ~scratch() {
    slot() = std::move(held_);
  }

  T& operator*() const noexcept {
    return *held_;
  }

private:
  static std::unique_ptr<T>& slot() noexcept {
    static thread_local std::unique_ptr<T> kept;
    return kept;
  }

  std::unique_ptr<T> held_;
};

} // namespace convene::actors
