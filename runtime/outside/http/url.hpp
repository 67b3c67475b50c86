#pragma once

#include <convene/protocol/base/api.hpp>
#include <convene/protocol/base/error.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace convene::host {

/// Whom a URL addresses.
struct url_origin {
  std::string scheme; ///< "http" or "https"
  std::string host;   ///< lower case; IPv6 in brackets; 127.1 is 127.0.0.1
  std::uint16_t port = 0;

  bool operator==(const url_origin&) const = default;
};

/// "http://example.org:80"; never more of the URL, which may hold secrets.
[[nodiscard]] CONVENE_API std::string to_string(const url_origin& what);

/// Fails with the rule `url_invalid`, or `scheme_refused` for anything but http
/// and https. A URL with a user name is refused.
[[nodiscard]] CONVENE_API protocol::result<url_origin>
origin_of(std::string_view url);

/// Where a redirect leads, without user name and query: for messages.
[[nodiscard]] std::string redirect_target(std::string_view from,
                                          std::string_view location);

/// A URL's path for a message: shortened, without its query.
[[nodiscard]] std::string path_of(std::string_view url);

} // namespace convene::host
