#pragma once

#include <convene/protocol/documents/reply.hpp>
#include <convene/session/workspace/resource.hpp>

#include <optional>

namespace convene::session {

/// What a write makes of a version: the value that then stands, or none where
/// it deletes.
struct written {
  std::optional<json::value> value;
};

/// About how many bytes it adds to a workspace.
[[nodiscard]] std::size_t size_of(const written& what);

/// Carries out a write on the value that it names as its base; null: there is
/// none, or it is deleted. Refuses, with the rule: a patch that does not fit
/// (see json_patch.hpp), a value that does not fit (see size.hpp), and to
/// delete what is not there (`resource_absent`).
[[nodiscard]] protocol::result<written>
apply_write(const protocol::resource_write& what, const resource* base);

} // namespace convene::session
