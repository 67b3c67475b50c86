#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/protocol/documents/action.hpp>
#include <convene/runtime/outside/http/call_pace.hpp>
#include <convene/runtime/outside/participants/request_json.hpp>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace convene::host {

/// {"type": "http", ...}; see docs/agents/http.md.
struct http_settings {
  std::string url;
  std::map<std::string, std::string> headers; ///< besides our own
  std::string secret_env; ///< names an environment variable; empty: unsigned
  workspace_part workspace = workspace_part::snapshot;
  std::int64_t timeout_ms = 300'000; ///< of one call
  std::int64_t retries = 2;          ///< for transient errors, if `repeatable`
  bool repeatable = true;            ///< asking twice is harmless
  call_limits limits; ///< shared by all participants with this host
  std::vector<std::string>
    approve; ///< patterns; a person approves its requests

  bool operator==(const http_settings&) const = default;
};

/// Reads the settings; `pointer` is their place, for errors.
[[nodiscard]] protocol::result<http_settings>
read_http_settings(const protocol::json::value& from, std::string_view pointer);

} // namespace convene::host
