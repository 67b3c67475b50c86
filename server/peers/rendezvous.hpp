#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace convene::server {

/// Which of the nodes a key belongs to, by rendezvous hashing: each node gets
/// as many keys, and a node that goes only moves its own. The order of the
/// names does not matter. Unset: there are none.
[[nodiscard]] std::optional<std::size_t>
pick_node(std::string_view key, std::span<const std::string> names);

} // namespace convene::server
