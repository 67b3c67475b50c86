#pragma once

#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json_schema/cursor.hpp>

#include <string>
#include <string_view>

namespace convene::protocol::validation {

/// What an instruction asks for, for `violation::expected`.
[[nodiscard]] std::string expectation(const program& code,
                                      const instruction& what);

/// ` (did you mean "x"?)` where a word of a list was expected, or nothing.
[[nodiscard]] std::string suggestion(const program& code,
                                     const instruction& what,
                                     std::string_view written);

/// `, such as ["a", "b"]` where a list of texts was expected instead of the
/// text `written`, or nothing.
[[nodiscard]] std::string list_advice(const program& code, const node& of,
                                      std::string_view written);

/// `string`, or `integer or null`.
[[nodiscard]] std::string type_names(std::uint8_t mask);

/// `1 item`, `2 items`.
[[nodiscard]] std::string counted(std::size_t count, std::string_view noun);

[[nodiscard]] inline std::string quoted(std::string_view text) {
  return '"' + shorten(text) + '"';
}

/// A value in a few words, for `violation::actual`.
template <cursor C>
[[nodiscard]] std::string summary(C value) {
  switch (value.is()) {
    case kind::null:
      return "null";
    case kind::boolean:
      return value.boolean() ? "true" : "false";
    case kind::string:
      return quoted(value.text());
    case kind::array:
      return "an array of " + counted(value.size(), "item");
    case kind::object:
      return "an object of " + counted(value.size(), "member");
    default:
      return to_string(value.value());
  }
}

} // namespace convene::protocol::validation
