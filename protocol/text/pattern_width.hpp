#pragma once

#include <cstdint>
#include <string_view>

namespace convene::protocol::validation {

/// What a search costs at most, in the language that `translate_pattern`
/// writes.
struct pattern_width {
  /// At so many places of the pattern a search can be at once.
  std::uint64_t places = 0;
  /// It is at an end after so many bytes of a text.
  std::uint64_t bytes = 0;

  /// The steps that it can take over this many bytes.
  [[nodiscard]] std::uint64_t steps(std::uint64_t text_bytes) const;
};

/// Of a pattern that RE2 takes.
[[nodiscard]] pattern_width width_of(std::string_view translated,
                                     bool ignores_case);

} // namespace convene::protocol::validation
