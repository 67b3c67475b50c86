#pragma once

#include <convene/protocol/base/byte_buffer.hpp>
#include <convene/protocol/base/timestamp.hpp>
#include <convene/protocol/base/uuid.hpp>

#include <cstdint>
#include <string_view>

namespace convene::protocol {

/// Writes JSON text directly into a buffer. Formats strings and numbers; the
/// caller is responsible for braces and commas. Text must be UTF-8. What is
/// formatted may have a literal before it, such as a member's name, which is
/// written as it is.
class json_writer {
public:
  /// Appends to `out`, which must not be used until this object is destroyed.
  explicit json_writer(byte_buffer& out)
    : out_(out), at_(out.reserve(spare)), end_(at_ + spare) {}

  json_writer(const json_writer&) = delete;
  json_writer& operator=(const json_writer&) = delete;

  ~json_writer() {
    out_.commit(at_);
  }

  /// JSON syntax, verbatim.
  template <std::size_t N>
  json_writer& raw(const char (&text)[N]) {
    room(N - 1);
    put(text);
    return *this;
  }

  json_writer& raw(std::string_view text) {
    room(text.size());
    if (!text.empty())
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
  template <std::size_t N>
  json_writer& string(const char (&before)[N], std::string_view text) {
    room(N - 1 + string_room(text));
    put(before);
    at_ = write_string(at_, text);
    return *this;
  }
  json_writer& string(std::string_view text) {
    return string("", text);
  }

  template <std::size_t N>
  json_writer& number(const char (&before)[N], std::int64_t value) {
    room(N - 1 + number_room);
    put(before);
    at_ = write_number(at_, value);
    return *this;
  }
  json_writer& number(std::int64_t value) {
    return number("", value);
  }

  /// A UUID in quotes.
  template <std::size_t N>
  json_writer& id(const char (&before)[N], const uuid& value) {
    room(N - 1 + id_room);
    put(before);
    at_ = write_id(at_, value);
    return *this;
  }
  json_writer& id(const uuid& value) {
    return id("", value);
  }

  /// A timestamp in quotes.
  template <std::size_t N>
  json_writer& time(const char (&before)[N], timestamp_ms value) {
    room(N - 1 + time_room);
    put(before);
    at_ = write_time(at_, value);
    return *this;
  }
  json_writer& time(timestamp_ms value) {
    return time("", value);
  }

private:
  /// As much as most events take.
  static constexpr std::size_t spare = 1024;

  // The most that these take. They are copied in blocks, and a string that
  // needs escapes is overtaken by one.
  static constexpr std::size_t number_room = 20, id_room = 38, time_room = 26;
  static std::size_t string_room(std::string_view text) noexcept {
    constexpr std::size_t escape = 6, quotes = 2, block = 16;
    return text.size() * escape + quotes + block;
  }

  // To `at`, where there is room; they return the end. Neither they nor `grow`
  // know the writer, so that it can stay in registers while it writes.
  static char* write_string(char* at, std::string_view text) noexcept;
  static char* write_number(char* at, std::int64_t value) noexcept;
  static char* write_id(char* at, uuid value) noexcept;
  static char* write_time(char* at, timestamp_ms value) noexcept;
  static char* grow(byte_buffer& out, char* at, std::size_t bytes);

  void room(std::size_t bytes) {
    if (static_cast<std::size_t>(end_ - at_) < bytes) [[unlikely]] {
      at_ = grow(out_, at_, bytes + spare);
      end_ = at_ + bytes + spare;
    }
  }

  template <std::size_t N>
  void put(const char (&text)[N]) noexcept {
    std::memcpy(at_, text, N - 1);
    at_ += N - 1;
  }

  byte_buffer& out_;
  char* at_;
  char* end_;
};

} // namespace convene::protocol
