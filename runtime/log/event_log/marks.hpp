#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace convene::host {

/// The first line of a log's first file, without its line end.
inline constexpr std::string_view log_opened_line
  = R"({"log_opened":{"format":1,"segment":1,"previous":null}})";

/// The content of a `log_opened` line.
struct opened_mark {
  std::uint32_t segment = 1;
  /// The crc of the last group of the previous segment; unset only in the
  /// first.
  std::optional<std::uint32_t> previous;

  bool operator==(const opened_mark&) const = default;
};

/// The line without its line end; docs/events.md section 3.
[[nodiscard]] std::string to_line(const opened_mark& mark);

/// Reads exactly what `to_line` writes.
[[nodiscard]] std::optional<opened_mark> parse_opened(std::string_view line);

/// What a `log_group` line states about the bytes before it.
struct group_mark {
  std::uint64_t bytes = 0;
  std::uint32_t crc = 0;
  std::uint32_t previous = 0; ///< crc of the group before; 0 in the first

  bool operator==(const group_mark&) const = default;
};

/// The line without its line end; docs/events.md section 3.
[[nodiscard]] std::string to_line(const group_mark& mark);

/// Reads exactly what `to_line` writes.
[[nodiscard]] std::optional<group_mark> parse_group(std::string_view line);

/// Whether the line looks like a `log_group`, whether intact or damaged.
[[nodiscard]] bool is_group(std::string_view line) noexcept;

/// Whether the line looks like a `log_opened`.
[[nodiscard]] bool is_opened(std::string_view line) noexcept;

/// The `format` that a `log_opened` line names, if any.
[[nodiscard]] std::optional<std::uint32_t>
opened_format(std::string_view line) noexcept;

/// How far a log reached when the end of a session was acknowledged.
struct ended_mark {
  std::uint32_t segment = 0;
  std::uint64_t bytes = 0; ///< of the segment, through the group of the end
  std::uint32_t crc = 0;   ///< of that group
  std::string session_id;  ///< the last one that ended in it

  bool operator==(const ended_mark&) const = default;
};

/// The line without its line end; docs/events.md section 3.
[[nodiscard]] std::string to_line(const ended_mark& mark);

/// Reads exactly what `to_line` writes.
[[nodiscard]] std::optional<ended_mark> parse_ended_mark(std::string_view line);

/// Whether these bytes of a log end with the `log_group` line of a group with
/// this crc.
[[nodiscard]] bool ends_with_group(std::string_view bytes,
                                   std::uint32_t crc) noexcept;

/// The length that a `log_group` line never exceeds.
inline constexpr std::uint64_t group_line_bytes_max = 128;

/// Eight lower-case hexadecimal digits.
[[nodiscard]] std::string to_hex(std::uint32_t crc);

} // namespace convene::host
