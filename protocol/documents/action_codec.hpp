#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/protocol/documents/action.hpp>

#include <string>
#include <string_view>

namespace convene::protocol {

/// The log's form of an action: {position, kind, name, [arguments],
/// [repeatable]}. Unknown members are refused.
[[nodiscard]] result<action> decode_action(const json::value& from,
                                           std::string_view pointer = "");
[[nodiscard]] json::object encode(const action& from);

/// The log's form of what came of an attempt: {status, [output], [error: {code,
/// message, [transient]}], [usage]}.
[[nodiscard]] result<action_result>
decode_action_result(const json::value& from, std::string_view pointer = "");
[[nodiscard]] json::object encode(const action_result& from);

/// `json_sha256` of {"action", "result"} in these forms: what an attempt's end
/// on the log says of what was done and of what came of it.
[[nodiscard]] std::string digest_of(const action& what,
                                    const action_result& result);

} // namespace convene::protocol
