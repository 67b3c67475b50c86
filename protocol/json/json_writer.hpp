#pragma once

#include <convene/protocol/base/byte_buffer.hpp>
#include <convene/protocol/base/timestamp.hpp>
#include <convene/protocol/base/uuid.hpp>

#include <cstdint>
#include <string_view>

namespace convene::protocol {

/// Writes JSON text straight into a buffer. It knows strings and numbers; that
/// braces and commas come out right is the caller's part. Text must be UTF-8.
class json_writer {
public:
  /// Appends to `out`, which must not be touched until this object is gone.
  explicit json_writer(byte_buffer& out) : out_(out) {
    room(512);
  }

  json_writer(const json_writer&) = delete;
  json_writer& operator=(const json_writer&) = delete;

  ~json_writer() {
    out_.commit(at_);
  }

  /// JSON syntax, as it stands.
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

  /// A JSON string: quoted, with what JSON demands escaped.
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
