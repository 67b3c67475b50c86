#pragma once

#include <convene/protocol/base/traits.hpp>

#include <memory>
#include <optional>
#include <utility>

namespace convene::protocol {

/// An optional value for what is large and mostly absent: a pointer in size,
/// otherwise like `std::optional`, which it converts from and to. Copies copy
/// the value.
template <class T>
class boxed {
public:
  using value_type = T;

  boxed() = default;
  boxed(std::nullopt_t) noexcept {}
  boxed(T value) : held_(std::make_unique<T>(std::move(value))) {}
  boxed(std::optional<T> value) {
    if (value)
      emplace(*std::move(value));
  }
  boxed(const boxed& other)
    : held_(other.held_ ? std::make_unique<T>(*other.held_) : nullptr) {}
  boxed(boxed&&) noexcept = default;
  boxed& operator=(boxed other) noexcept {
    held_ = std::move(other.held_);
    return *this;
  }
  ~boxed() = default;

  operator std::optional<T>() const& {
    return held_ ? std::optional{*held_} : std::nullopt;
  }
  operator std::optional<T>() && {
    return held_ ? std::optional{std::move(*held_)} : std::nullopt;
  }

  explicit operator bool() const noexcept {
    return held_ != nullptr;
  }
  [[nodiscard]] bool has_value() const noexcept {
    return held_ != nullptr;
  }

  T& operator*() & noexcept {
    return *held_;
  }
  const T& operator*() const& noexcept {
    return *held_;
  }
  T&& operator*() && noexcept {
    return std::move(*held_);
  }
  T* operator->() noexcept {
    return held_.get();
  }
  const T* operator->() const noexcept {
    return held_.get();
  }

  template <class... Args>
  T& emplace(Args&&... args) {
    held_ = std::make_unique<T>(std::forward<Args>(args)...);
    return *held_;
  }
  void reset() noexcept {
    held_.reset();
  }

  bool operator==(const boxed& other) const {
    return held_ && other.held_ ? *held_ == *other.held_ : held_ == other.held_;
  }

private:
  std::unique_ptr<T> held_;
};

template <class T>
inline constexpr bool is_optional<boxed<T>> = true;

} // namespace convene::protocol
