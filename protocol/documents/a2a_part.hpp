#pragma once

#include <boost/json/value.hpp>
#include <convene/protocol/base/error.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace convene::protocol {

namespace json = boost::json;

enum class a2a_content : std::uint8_t {
  text,
  data, ///< any JSON
  file, ///< `raw` or `url`
};

/// A part of a message or artifact of A2A 1.0. Refers to the JSON that it was
/// read from.
struct a2a_part {
  a2a_content content = a2a_content::text;
  std::string_view text;             ///< of a text
  const json::value* data = nullptr; ///< of data; else null
  std::string_view media_type;       ///< empty: the part has none
};

/// Reads a part. It has exactly one of `text`, `data`, `raw` and `url`: with
/// two of them, either could be the one that its sender meant. A member that is
/// null counts as missing, unless it is `data` and the only one. `pointer` is
/// the part's place, for errors; their rule is `a2a_part`.
[[nodiscard]] result<a2a_part> read_a2a_part(const json::value& from,
                                             const std::string& pointer);

} // namespace convene::protocol
