#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/protocol/documents/reply.hpp>

#include <string_view>

namespace convene::protocol {

/// The limits of one reply. Beyond them: errc::limit_reached, rule `maxItems`.
inline constexpr std::size_t reply_writes_max = 64;
inline constexpr std::size_t reply_claims_max = 64;
inline constexpr std::size_t reply_tasks_max = 256;
inline constexpr std::size_t reply_decisions_max = 64;
inline constexpr std::size_t reply_reasoning_max = 64;
inline constexpr std::size_t dispatch_resources_max = 64;

/// Reads a participant's answer. Absent members get their defaults; unknown
/// ones are refused.
[[nodiscard]] result<reply> decode_reply(const json::value& from,
                                         std::string_view pointer = "");

/// The answer as JSON, without members at their defaults.
[[nodiscard]] json::object encode(const reply& from);

} // namespace convene::protocol
