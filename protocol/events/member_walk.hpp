#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace convene::protocol {

/// Goes through the members of an object that is written without spaces, such
/// as an event's line or its payload, in their order and without reading it as
/// JSON. Ends where the object does or is written otherwise; whether it is JSON
/// is not checked.
class member_walk {
public:
  /// `object` begins with its brace; more may follow behind the object.
  explicit member_walk(std::string_view object) noexcept : rest_{object} {
    // nop
  }

  /// Goes to the next member. False: there is none.
  [[nodiscard]] bool next() noexcept;

  /// Whether `next` was false because the object ended.
  [[nodiscard]] bool has_ended() const noexcept {
    return rest_.starts_with('}');
  }

  /// The member's name as it is written, escapes included.
  [[nodiscard]] std::string_view name() const noexcept {
    return name_;
  }

  /// The value's bytes; of an object or array, all that is left of the text.
  [[nodiscard]] std::string_view value() const noexcept {
    return value_;
  }

  /// The value's bytes, of an object or array all of them and no more. It ends
  /// the walk if the value does not end.
  [[nodiscard]] std::string_view whole() noexcept;

  /// The value is an object that `inside` has walked to its end, which does not
  /// have to be looked for again.
  void pass(const member_walk& inside) noexcept;

  /// The value, if it is a string without escapes.
  [[nodiscard]] std::optional<std::string_view> text() const noexcept;

private:
  void pass(std::size_t bytes) noexcept;

  std::string_view rest_;
  std::string_view name_;
  std::string_view value_;
  bool has_begun_ = false;
  bool is_passed_ = false; ///< the object or array
};

} // namespace convene::protocol
