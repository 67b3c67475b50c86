#pragma once

#include <convene/protocol/base/error.hpp>

#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace convene::server {

using scope_set = std::set<std::string, std::less<>>;

/// What a key may allow: OpenWOP's words, and `server:metrics`.
[[nodiscard]] const scope_set& known_scopes();

/// The scopes of these words, each a scope or a group: `read`, `run`, `answer`
/// or `admin`, which is all of them.
[[nodiscard]] protocol::result<scope_set>
read_scopes(const std::vector<std::string>& words);

} // namespace convene::server
