#pragma once

#include <convene/protocol/base/byte_buffer.hpp>
#include <convene/protocol/base/timestamp.hpp>
#include <convene/protocol/base/uuid.hpp>

#include <cstdint>
#include <string_view>

namespace convene::protocol {

/// Writes JSON text directly into a buffer. Formats strings and numbers; the
/// caller is responsible for braces and commas. Text must be UTF-8.
class json_writer {
public:
  /// Appends to `out`, which must not be used until this object is destroyed.
  explicit json_writer(byte_buffer& out) : out_(out) {
    room(512);
  }

  json_writer(const json_writer&) = delete;
  json_writer& operator=(const json_writer&) = delete;

  ~json_writer() {
    out_.commit(at_);
  }

  /// JSON syntax, verbatim.
  template <std::size_t N>
  json_writer& raw(const char (&text)[N]) {
    room(N - 1);
    std::memcpy(at_, text, N - 1);
    at_ += N - 1;
    return *this;
  }

  json_writer& raw(std::string_view text) {
    room(text.size());
    std::memcpy(at_, text.data(), text.size());
    at_ += text.size();
    return *this;
  }

  /// How many bytes the buffer holds so far.
  [[nodiscard]] std::size_t position() const noexcept {
    return static_cast<std::size_t>(at_ - out_.view().data());
  }

  /// Overwrites the byte at a position below the current one.
  void replace(std::size_t position, char by) noexcept {
    *(at_ - (this->position() - position)) = by;
  }

  /// A JSON string: quoted, and escaped as JSON requires.
  json_writer& string(std::string_view text);

  json_writer& number(std::int64_t value);

  /// A UUID in quotes.
  json_writer& id(const uuid& value);

  /// A timestamp in quotes.
  json_writer& time(timestamp_ms value);

private:
  void room(std::size_t bytes) {
    if (static_cast<std::size_t>(end_ - at_) < bytes)
      more(bytes);
  }

  void more(std::size_t bytes);

  byte_buffer& out_;
  char* at_ = nullptr;
  char* end_ = nullptr;
};

} // namespace convene::protocol
