#include <convene/server/keys/scopes.hpp>

#include <map>

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
      std::string known;
      for (const auto& [name, scopes] : groups())
        known += std::string{name} + ", ";
      for (const auto& name : known_scopes())
        known += name + ", ";
      known.resize(known.size() - 2);
      return protocol::fail(
        {.code = protocol::errc::usage,
         .message = "there is no scope \"" + one + "\"; there are " + known,
         .rule = "scope",
         .value = one});
    }
  }
  if (out.empty())
    return protocol::fail(protocol::errc::usage,
                          "a key without a scope allows nothing; name one",
                          "scope");
  return out;
}

} // namespace convene::server
