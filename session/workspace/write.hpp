#pragma once

#include <convene/protocol/documents/reply.hpp>
#include <convene/session/workspace/resource.hpp>

#include <optional>

namespace convene::session {

/// The result of a write: the new value, or none if it deletes.
struct written {
  std::optional<json::value> value;
};

/// Approximately how many bytes it adds to a workspace.
[[nodiscard]] std::size_t size_of(const written& what);

/// Applies a write to the value that it names as its base; null: there is none,
/// or it is deleted. Refuses, with the rule: a patch that does not fit (see
/// json_patch.hpp), a value that does not fit (see size.hpp), and deleting what
/// does not exist (`resource_absent`).
[[nodiscard]] protocol::result<written>
apply_write(const protocol::resource_write& what, const resource* base);

} // namespace convene::session
