#pragma once

#include <convene/protocol/codec/object_reader.hpp>

#include <map>
#include <string>

namespace convene::host {

/// The value of a header: a text, which may end with "${env:NAME}", or the same
/// as {"env": NAME, "prefix": TEXT}.
struct header_setting {
  std::string text;     ///< the value, or what is before the variable's
  std::string variable; ///< an environment variable; empty: none

  bool operator==(const header_setting&) const = default;
};

using header_settings = std::map<std::string, header_setting>;

/// Reads a scenario's headers. What convene sets itself, and what no header may
/// have, is refused.
bool read_headers(protocol::reading& r, const protocol::json::value& from,
                  const protocol::place& at, header_settings& to);

} // namespace convene::host
