#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <string_view>
#include <utility>

namespace convene::protocol {

/// A growable byte buffer written through a pointer. Unlike a string, it does
/// not zero memory before it is written. Not thread-safe.
class byte_buffer {
public:
  byte_buffer() = default;

  byte_buffer(byte_buffer&& other) noexcept
    : data_(std::move(other.data_)), size_(std::exchange(other.size_, 0)),
      capacity_(std::exchange(other.capacity_, 0)) {
    // nop
  }

  byte_buffer& operator=(byte_buffer&& other) noexcept {
    data_ = std::move(other.data_);
    size_ = std::exchange(other.size_, 0);
    capacity_ = std::exchange(other.capacity_, 0);
    return *this;
  }

  /// Returns where to write, with at least `bytes` free. Call `commit`
  /// afterwards.
  [[nodiscard]] char* reserve(std::size_t bytes) {
    if (capacity_ - size_ < bytes)
      grow(bytes);
    return data_.get() + size_;
  }

  /// Accepts what was written up to `end`.
  void commit(const char* end) noexcept {
    size_ = static_cast<std::size_t>(end - data_.get());
  }

  void append(std::string_view bytes) {
    char* at = reserve(bytes.size());
    std::memcpy(at, bytes.data(), bytes.size());
    commit(at + bytes.size());
  }

  void clear() noexcept {
    size_ = 0;
  }

  /// Drops everything after the first `bytes`, which must exist.
  void truncate(std::size_t bytes) noexcept {
    size_ = bytes;
  }

  [[nodiscard]] std::string_view view() const noexcept {
    return {data_.get(), size_};
  }

  [[nodiscard]] std::size_t size() const noexcept {
    return size_;
  }

  [[nodiscard]] bool empty() const noexcept {
    return size_ == 0;
  }

private:
  void grow(std::size_t bytes) {
    const auto wanted
      = std::max({size_ + bytes, capacity_ * 2, std::size_t{256}});
    std::unique_ptr<char[]> larger(new char[wanted]);
    if (size_ != 0)
      std::memcpy(larger.get(), data_.get(), size_);
    data_ = std::move(larger);
    capacity_ = wanted;
  }

  std::unique_ptr<char[]> data_;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

} // namespace convene::protocol
