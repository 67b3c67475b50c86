#pragma once

#include <boost/json/value.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace convene::protocol {

namespace json = boost::json;

/// A value that takes the texts and numbers of JSON that is spelled as it would
/// be itself: the same members in the same order, and no spaces. Reading a line
/// into it creates nothing. Neither copied nor moved.
class json_mould {
public:
  /// It takes no text if it has an integer over 63 bits, or a name that needs
  /// an escape.
  explicit json_mould(json::value like);
  json_mould(const json_mould&) = delete;
  json_mould& operator=(const json_mould&) = delete;

  /// Whether `text` is such JSON. If so, the value is what `parse_json` makes
  /// of it, else neither what it was nor this. Texts with escapes are not.
  [[nodiscard]] bool take(std::string_view text);

  [[nodiscard]] const json::value& value() const noexcept {
    return value_;
  }

  /// The bytes of all texts that it was given to take.
  [[nodiscard]] std::size_t taken_bytes() const noexcept {
    return taken_bytes_;
  }

private:
  /// A text or a number, and the bytes before it, which are always the same.
  struct slot {
    json::value* to = nullptr;
    std::size_t begin = 0;
    std::size_t size = 0;
  };

  void add(json::value& part);
  void add_name(std::string_view name);
  void add_slot(json::value& part);

  json::value value_;
  std::string bytes_; ///< those before the slots, and those behind the last
  std::vector<slot> slots_;
  std::size_t taken_bytes_ = 0;
  std::size_t begin_ = 0; ///< in bytes_: of what follows the last slot
  bool fits_ = true;
};

} // namespace convene::protocol
