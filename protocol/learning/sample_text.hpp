#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace convene::protocol {

/// The most bytes of a text that a sample repeats.
inline constexpr std::size_t sample_text_bytes_max = 240;

/// What stands for a text that a sample must have and may not repeat.
inline constexpr std::string_view scrubbed_text = "(scrubbed)";

/// How much of the texts of events gets into samples.
class sample_text {
public:
  /// `scrub`: nothing that people or models wrote.
  explicit sample_text(bool scrub) : scrub_{scrub} {}

  /// The beginning of a text that a sample must have: whole characters.
  [[nodiscard]] std::string summary(std::string_view text) const;

  /// The beginning of a text that it may have; nothing if it is empty.
  [[nodiscard]] std::optional<std::string> note(std::string_view text) const;

  /// An id or a name; scrubbed, only a UUID.
  [[nodiscard]] std::optional<std::string> name(std::string_view text) const;

  /// A word of a program, like `timed_out`; scrubbed, only what is spelled so.
  [[nodiscard]] std::optional<std::string> word(std::string_view text) const;

private:
  bool scrub_;
};

} // namespace convene::protocol
