#pragma once

#include <convene/protocol/base/byte_buffer.hpp>
#include <convene/protocol/base/uuid.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace convene::session {

/// An event of a single agent's run: a line of JSON, written member by member.
/// Names are kept as views.
class told_event {
public:
  /// A member, and where its value is.
  struct member {
    std::string_view name;
    std::size_t begin = 0; ///< of the value, in the line
    std::size_t end = 0;
  };

  /// What a step's event of the profile is about, as JSON; else empty.
  std::string_view step_id;

  /// Drops what was written.
  void begin(std::string_view event_type);

  void id(std::string_view name, const protocol::uuid& value);
  void number(std::string_view name, std::int64_t value);
  void text(std::string_view name, std::string_view value);
  /// A text without anything to escape.
  void word(std::string_view name, std::string_view value);
  void json(std::string_view name, std::string_view value);

  /// Begins an object, and ends it.
  void open(std::string_view name);
  void close();
  /// Ends the event, and the object.
  void end();

  [[nodiscard]] std::string_view type() const noexcept {
    return type_;
  }
  [[nodiscard]] const std::vector<member>& members() const noexcept {
    return members_;
  }
  [[nodiscard]] std::string_view value_of(const member& of) const noexcept {
    return line_.view().substr(of.begin, of.end - of.begin);
  }
  /// The value as JSON; empty: there is none.
  [[nodiscard]] std::string_view value_of(std::string_view name) const noexcept;
  /// The same of the object's.
  [[nodiscard]] std::string_view
  payload_value_of(std::string_view name) const noexcept;

  /// Without an end of line.
  [[nodiscard]] std::string_view line() const noexcept {
    return line_.view();
  }

private:
  /// Writes the name, and returns where `bytes` of the value have room.
  char* name(std::string_view name, std::size_t bytes);
  void commit(const char* end) noexcept;

  protocol::byte_buffer line_;
  std::vector<member> members_;
  std::vector<member> payload_; ///< those of the object
  std::string_view type_;
  bool is_inside_ = false; ///< of an object
  bool is_first_ = true;   ///< of the members
};

} // namespace convene::session
