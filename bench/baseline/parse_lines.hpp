#pragma once

#include <convene/runtime/log/event_log/segments.hpp>
#include <simdjson.h>

#include <cstdint>
#include <filesystem>
#include <string>

namespace convene::bench {

/// simdjson alone on each line of a log, in pieces that fit the cache as the
/// reader's do: what reading and recovery are held against.
inline protocol::result<void> parse_lines(const std::filesystem::path& path) {
  static simdjson::dom::parser parser;
  const auto file = host::input_file::open(path);
  if (!file)
    return protocol::fail(file.error());
  std::string piece;
  std::uint64_t from = 0;
  constexpr std::size_t piece_bytes = std::size_t{1} << 20;
  while (true) {
    piece.reserve(piece_bytes + simdjson::SIMDJSON_PADDING);
    const auto read = file->read(from, piece_bytes, piece);
    if (!read)
      return protocol::fail(read.error());
    if (read->empty())
      return {};
    auto left = read->substr(0, read->rfind('\n') + 1);
    from += left.size();
    while (!left.empty()) {
      const auto line = left.substr(0, left.find('\n'));
      left.remove_prefix(line.size() + 1);
      if (parser.parse(line.data(), line.size(), false).error()
          != simdjson::SUCCESS)
        return protocol::fail(protocol::errc::invalid_json,
                              "simdjson refuses a line");
    }
  }
}

} // namespace convene::bench
