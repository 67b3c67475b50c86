#pragma once

#include <convene/protocol/documents/action.hpp>

#include <string_view>

// Members of a provider's message that go back to it unchanged; for sources in
// this folder only.

namespace convene::host {

/// Whether a member of a message, a call or a function has a model's thoughts
/// or what its provider needs to go on with them: `reasoning_content`,
/// `reasoning_details`, `extra_content`, `thought_signature` and so on.
[[nodiscard]] bool is_original(std::string_view name);

/// Adds these members of a message, or of a piece of one, to what came before:
/// texts of thoughts go on, pieces of a list's items are joined, and of others
/// the latest counts. Returns whether there were any.
bool merge_original(protocol::json::object& to,
                    const protocol::json::object& from);

/// Adds the items of a list of parts: a part goes on with the one before it, if
/// both are of one type and index.
void merge_parts(protocol::json::array& to, const protocol::json::array& from);

} // namespace convene::host
