#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace convene::server {

/// Who sent a request, and what they may do.
struct caller {
  std::string key_id; ///< empty: nobody had to show a key
  /// The reference's words (`runs:read`, `approvals:respond`, ...).
  std::set<std::string, std::less<>> scopes;
  /// Set for the key of one person: they answer as this participant of this
  /// session, and see nothing else.
  std::string session_id;
  std::string participant_id;
  /// The groups of agents whose turns they see and say; empty: of all.
  std::set<std::string, std::less<>> groups;

  [[nodiscard]] bool may(std::string_view scope) const {
    return scopes.contains(scope);
  }
};

/// A request that was read whole, is well-formed, and whose caller may make it.
struct request {
  std::string id; ///< X-Request-Id of the answer, and of the diagnostic log
  std::string method;
  std::string path; ///< as it was sent, without the query
  /// By name: what stands for `{name}` in the route's pattern, decoded.
  std::map<std::string, std::string, std::less<>> parameters;
  /// Decoded; of a name that is given twice, the request is refused.
  std::map<std::string, std::string, std::less<>> query;
  /// By name in lower case; without `authorization` where keys are asked for.
  std::map<std::string, std::string, std::less<>> headers;
  std::string body; ///< of POST: application/json, in UTF-8
  caller by;
  /// The header `authorization`, where the route passes requests on.
  std::string authorization;
  /// The DNS names (SAN) of the sender's certificate, in lower case; null: it
  /// has shown none.
  std::shared_ptr<const std::vector<std::string>> certificate_names = {};

  /// A header, by its name in lower case; empty: it is missing.
  [[nodiscard]] std::string_view header(std::string_view name) const {
    const auto found = headers.find(name);
    return found == headers.end() ? std::string_view{} : found->second;
  }

  /// A member of the query.
  [[nodiscard]] std::optional<std::string_view>
  parameter_of_query(std::string_view name) const {
    const auto found = query.find(name);
    if (found == query.end())
      return std::nullopt;
    return found->second;
  }
};

} // namespace convene::server
