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

/// Eight lower-case hexadecimal digits.
[[nodiscard]] std::string to_hex(std::uint32_t crc);

} // namespace convene::host
