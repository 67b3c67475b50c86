#pragma once

#include <memory>
#include <utility>

namespace convene::protocol {

/// An immutable value that is often absent and has many holders: copies share
/// it. A shared pointer in size, otherwise a value. Reading an absent one gives
/// the default value. Thread-safe, like any value that is never written.
template <class T>
class shared_value {
public:
  shared_value() = default;

  shared_value(T value) : held_(std::make_shared<const T>(std::move(value))) {}

  const T& operator*() const {
    static const T absent{};
    return held_ ? *held_ : absent;
  }

  const T* operator->() const {
    return &**this;
  }

  bool operator==(const shared_value& other) const {
    return held_ == other.held_ || **this == *other;
  }

private:
  std::shared_ptr<const T> held_;
};

} // namespace convene::protocol
