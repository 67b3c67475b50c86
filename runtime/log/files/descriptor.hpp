#pragma once

#include <unistd.h>

#include <utility>

namespace convene::host {

/// Owns a file descriptor, and closes it on destruction.
class descriptor {
public:
  descriptor() = default;
  explicit descriptor(int number) noexcept : number_{number} {
    // nop
  }
  descriptor(descriptor&& other) noexcept
    : number_{std::exchange(other.number_, -1)} {
    // nop
  }
  descriptor& operator=(descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~descriptor() {
    reset();
  }

  [[nodiscard]] int get() const noexcept {
    return number_;
  }
  [[nodiscard]] explicit operator bool() const noexcept {
    return number_ >= 0;
  }
  void reset() noexcept {
    static_cast<void>(close());
  }
  /// Whether closing succeeded; a disk may report its trouble only here.
  bool close() noexcept {
    const int number = std::exchange(number_, -1);
    return number < 0 || ::close(number) == 0;
  }

private:
  int number_ = -1;
};

} // namespace convene::host
