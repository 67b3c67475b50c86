#pragma once

#include <catch2/catch.hpp>
#include <convene/modes/catalog.hpp>
#include <convene/runtime/log/event_log/crc32c.hpp>
#include <convene/runtime/log/event_log/marks.hpp>
#include <convene/runtime/log/event_log/reader.hpp>
#include <convene/session/replay/replayer.hpp>

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

// Logs taken apart and put together again.

namespace convene::tests {

using texts = std::vector<std::string>;

inline texts events_of(const std::filesystem::path& log) {
  texts all;
  auto read = host::read_log(log);
  REQUIRE(read);
  for (auto& line : read->lines)
    all.push_back(std::move(line.text));
  return all;
}

/// A log of these events, in one group.
inline void write_log(const std::filesystem::path& path, const texts& events) {
  std::string all{host::log_opened_line};
  all += '\n';
  const auto first = host::crc32c(all);
  all += host::to_line({.bytes = all.size(), .crc = first, .previous = 0})
         + '\n';
  std::string group;
  for (const auto& line : events)
    group += line + '\n';
  all
    += group
       + host::to_line(
         {.bytes = group.size(), .crc = host::crc32c(group), .previous = first})
       + '\n';
  std::ofstream{path, std::ios::binary} << all;
}

/// Whether a log could end here: all events of the last input are there.
inline bool is_between_inputs(const texts& events, std::size_t count) {
  session::replayer again{modes::find};
  for (std::size_t i = 0; i < count; ++i)
    if (again.feed(i + 1, events[i]))
      return false;
  return !again.finish();
}

} // namespace convene::tests
