#include <convene/protocol/base/nearest.hpp>
#include <convene/server/keys/scopes.hpp>

#include <map>
#include <string_view>

namespace convene::server {
namespace {

const std::map<std::string_view, scope_set>& groups() {
  static const std::map<std::string_view, scope_set> all{
    {"read", {"manifest:read", "runs:read", "artifacts:read"}},
    {"run", {"runs:create", "runs:cancel"}},
    {"answer", {"approvals:respond"}},
    {"admin", known_scopes()}};
  return all;
}

} // namespace

const scope_set& known_scopes() {
  static const scope_set all{"manifest:read",     "runs:create",
                             "runs:read",         "runs:cancel",
                             "artifacts:read",    "webhooks:manage",
                             "approvals:respond", "server:metrics"};
  return all;
}

protocol::result<scope_set> read_scopes(const std::vector<std::string>& words) {
  scope_set out;
  for (const auto& one : words) {
    if (const auto group = groups().find(one); group != groups().end()) {
      out.insert(group->second.begin(), group->second.end());
    } else if (known_scopes().contains(one)) {
      out.insert(one);
    } else {
      std::vector<std::string_view> known;
      std::string listed;
      const auto add = [&](std::string_view name) {
        known.push_back(name);
        listed += (listed.empty() ? "" : ", ") + std::string{name};
      };
      for (const auto& [name, scopes] : groups())
        add(name);
      for (const auto& name : known_scopes())
        add(name);
      return protocol::fail({.code = protocol::errc::usage,
                             .message = "unknown scope \"" + one + '"'
                                        + protocol::suggest(one, known)
                                        + "; the scopes are " + listed,
                             .rule = "scope"});
    }
  }
  if (out.empty())
    return protocol::fail(protocol::errc::usage,
                          "a key without a scope allows nothing; name one",
                          "scope");
  return out;
}

} // namespace convene::server
