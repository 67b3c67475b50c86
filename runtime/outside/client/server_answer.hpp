#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/protocol/documents/common.hpp>
#include <convene/runtime/outside/http/http_message.hpp>

#include <string_view>

// What a server answered, as a value or as the error that it is; for sources in
// this folder only. Pure.

namespace convene::host {

/// The object that an answer holds.
[[nodiscard]] protocol::result<protocol::json::object>
read_answer(const http_answer& got);

/// The error of an answer that is one: by the server's own words, if it has
/// any, in either form that servers of convene give them.
[[nodiscard]] protocol::error error_of(const http_answer& got);

/// An answer that no such server gives.
[[nodiscard]] protocol::error unreadable_answer(std::string_view why);

} // namespace convene::host
