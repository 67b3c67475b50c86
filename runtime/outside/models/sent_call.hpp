#pragma once

#include <convene/protocol/documents/action.hpp>

#include <string>
#include <string_view>

// A model's call as it goes back to the model: servers refuse a history in
// which a name or the arguments are invalid.

namespace convene::host {

/// Whether arguments are a JSON object.
[[nodiscard]] bool is_sendable(std::string_view arguments);

/// The arguments as an object; {} if they are none.
[[nodiscard]] protocol::json::object
sendable_arguments(std::string_view arguments);

/// A name of a tool with only the characters and the length that names may
/// have.
[[nodiscard]] std::string sendable_name(std::string_view name);

} // namespace convene::host
