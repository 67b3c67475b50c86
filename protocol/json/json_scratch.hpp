#pragma once

#include <boost/json/monotonic_resource.hpp>
#include <convene/protocol/json/json_mould.hpp>
#include <convene/protocol/json/json_text.hpp>

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace convene::protocol {

/// Parses texts of which each is looked at and dropped before the next, such as
/// the lines of a log, in memory that is used again. Not thread-safe; neither
/// copied nor moved.
class json_scratch {
public:
  json_scratch() = default;
  json_scratch(const json_scratch&) = delete;
  json_scratch& operator=(const json_scratch&) = delete;

  /// As `parse_json`; the value is there until the next call, and so are copies
  /// of its parts, unless they are given a memory of their own.
  [[nodiscard]] result<const json::value*> parse(std::string_view text);

  /// The same, and quicker if most texts of one kind are spelled alike, as
  /// events of one type are. The value's memory is the heap.
  [[nodiscard]] result<const json::value*> parse(std::string_view text,
                                                 std::string_view kind);

private:
  /// How texts of a kind are spelled.
  struct spelling {
    std::string kind;
    std::vector<std::unique_ptr<json_mould>> moulds; ///< the latest at last
    std::size_t misses = 0; ///< how often none of them took a text
  };

  spelling* spelling_of(std::string_view kind);

  std::array<unsigned char, 1 << 14> buffer_;
  /// A new one each time: with each block that it takes from the heap the next
  /// one is larger, also after `release`, until none can be had.
  std::optional<json::monotonic_resource> memory_;
  std::optional<json::value> value_;
  std::vector<spelling> spellings_;
};

} // namespace convene::protocol
