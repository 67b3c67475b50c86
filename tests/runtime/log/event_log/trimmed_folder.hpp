#pragma once

#include "files.hpp"
#include "session_lines.hpp"

#include <catch2/catch.hpp>
#include <convene/runtime/log/event_log/existing_log.hpp>
#include <convene/runtime/log/event_log/reader.hpp>
#include <convene/runtime/log/event_log/writer.hpp>

#include <chrono>
#include <string>
#include <vector>

// A log in a folder that loses its first segments.

namespace convene::tests {

inline std::string started(std::uint64_t session) {
  return line_of_session(session, "begins", "MAPSessionStarted") + '\n';
}
inline std::string goes_on(std::uint64_t session) {
  return line_of_session(session, "goes on") + '\n';
}
inline std::string ended(std::uint64_t session) {
  return line_of_session(session, "ends", "MAPSessionCompleted") + '\n';
}

/// Each group that is flushed gets a segment of its own.
inline host::log_options one_group_each(std::uint64_t keep_bytes) {
  return {.group_interval = std::chrono::hours{1},
          .durability = protocol::durability::group,
          .existing = host::existing_log::append,
          .segment_bytes = 200,
          .keep_bytes = keep_bytes};
}

inline void write(const std::filesystem::path& folder,
                  const std::vector<std::string>& groups,
                  std::uint64_t keep_bytes = 1) {
  const auto writer = host::event_log_writer::open(folder,
                                                   one_group_each(keep_bytes));
  REQUIRE(writer);
  for (const auto& lines : groups) {
    REQUIRE((*writer)->append(lines));
    REQUIRE((*writer)->flush());
  }
  REQUIRE((*writer)->close());
}

/// The segments that are there, as numbers.
inline std::vector<std::uint32_t> there(const std::filesystem::path& folder) {
  std::vector<std::uint32_t> numbers;
  for (std::uint32_t number = 1; number < 100; ++number)
    if (std::filesystem::exists(folder / host::segment_name(number)))
      numbers.push_back(number);
  return numbers;
}

inline std::vector<std::string> lines_of(const std::filesystem::path& folder) {
  std::vector<std::string> lines;
  const auto read = host::read_log(folder);
  if (!read)
    FAIL(to_string(read.error()));
  for (const auto& line : read->lines)
    lines.push_back(line.text + '\n');
  return lines;
}

/// A log whose segments 1 to 3 were removed; session 3 straddles the boundary.
inline void write_short_log(const std::filesystem::path& folder) {
  write(folder, {started(1), goes_on(1) + ended(1), started(3),
                 started(4) + ended(3), goes_on(4), goes_on(4)});
}

using numbers = std::vector<std::uint32_t>;

} // namespace convene::tests
