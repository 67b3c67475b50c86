#pragma once

#include <unistd.h>

#include <utility>

namespace convene::host {

/// Owns a file descriptor.
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
    if (number_ >= 0)
      ::close(std::exchange(number_, -1));
  }

private:
  int number_ = -1;
};

} // namespace convene::host
