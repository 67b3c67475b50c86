#pragma once

#include <convene/server/http/request_head.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace convene::server {

/// Under which names a server may be addressed, and by pages from where. A page
/// of somebody else whose name leads to this machine, or that posts to it, is
/// refused.
struct host_rules {
  std::string address; ///< where the server listens
  std::uint16_t port = 0;
  bool tls = false;
  std::vector<std::string> names;   ///< in lower case, without a port
  std::vector<std::string> origins; ///< "https://app.example": CORS

  /// A name that is not the server's is 421, a foreign Origin 403.
  [[nodiscard]] std::optional<http_refusal>
  refusal(const request_head& head) const;

  /// Whether pages of that origin are told that they may read answers.
  [[nodiscard]] bool allows_cors(std::string_view origin) const;

private:
  [[nodiscard]] bool is_own(std::string_view host) const;
};

/// Whether an address is one of this machine alone.
[[nodiscard]] bool is_loopback(std::string_view address);

} // namespace convene::server
