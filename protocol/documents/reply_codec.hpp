#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/protocol/documents/reply.hpp>

#include <string_view>

namespace convene::protocol {

/// What one reply may carry. Beyond it: errc::limit_reached, rule `maxItems`.
inline constexpr std::size_t reply_writes_max = 64;
inline constexpr std::size_t reply_claims_max = 64;
inline constexpr std::size_t reply_tasks_max = 256;
inline constexpr std::size_t reply_decisions_max = 64;
inline constexpr std::size_t reply_reasoning_max = 64;
inline constexpr std::size_t dispatch_resources_max = 64;

/// Reads a participant's answer. Absent members have their defaults; unknown
/// ones are refused.
[[nodiscard]] result<reply> decode_reply(const json::value& from,
                                         std::string_view pointer = "");

/// The answer as JSON, without what is default.
[[nodiscard]] json::object encode(const reply& from);

} // namespace convene::protocol
