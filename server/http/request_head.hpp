#pragma once

#include <convene/server/http/http_limits.hpp>
#include <tl/expected.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace convene::server {

/// Why a request is not taken: the answer's status, and its code and message.
struct http_refusal {
  unsigned status = 400;
  std::string code;
  std::string message;

  bool operator==(const http_refusal&) const = default;
};

/// The line and the headers of a request, which leave no doubt about where it
/// ends.
struct request_head {
  std::string method;
  std::string path;      ///< begins with a slash; as it was sent
  std::string raw_query; ///< what follows the question mark
  /// By name in lower case; several of one name are one, with commas.
  std::map<std::string, std::string, std::less<>> headers;
  std::string host; ///< in lower case, with its port if it has one
  bool is_http_1_0 = false;
  bool keep_alive = true; ///< the connection may take another request
  bool is_chunked = false;
  std::uint64_t content_length = 0;
  bool expects_continue = false;

  [[nodiscard]] bool has_body() const {
    return is_chunked || content_length != 0;
  }

  /// Empty: it is missing.
  [[nodiscard]] std::string_view header(std::string_view name) const {
    const auto found = headers.find(name);
    return found == headers.end() ? std::string_view{} : found->second;
  }
};

/// Reads a head, up to and with its empty line. Whatever servers and proxies
/// are known to read differently (bare line feeds, folded lines, blanks before
/// a colon, a length that is said twice, ...) is refused, not repaired.
[[nodiscard]] tl::expected<request_head, http_refusal>
read_request_head(std::string_view text, const http_limits& limits);

/// What is wrong with the beginning of a head whose end has not come yet, as
/// far as it can be seen; `from` is what was looked at before.
[[nodiscard]] std::optional<http_refusal>
fault_of_unfinished_head(std::string_view text, std::size_t from,
                         const http_limits& limits);

} // namespace convene::server
