#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/runtime/outside/models/answer_stream.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

// What the formats share; for sources in this folder only.

namespace convene::host {

/// A member that is an object; null: it is missing or something else.
[[nodiscard]] inline const protocol::json::object*
object_member(const protocol::json::object& from, std::string_view name) {
  const auto* found = from.if_contains(name);
  return found ? found->if_object() : nullptr;
}

/// A member that is an array; empty: it is missing or something else.
[[nodiscard]] const protocol::json::array&
array_member(const protocol::json::object& from, std::string_view name);

/// A whole number, also one written as 7.0; saturated.
[[nodiscard]] std::optional<std::int64_t>
whole_number(const protocol::json::object& from, std::string_view name);

/// A count of tokens: at least 0.
[[nodiscard]] std::int64_t count_member(const protocol::json::object& from,
                                        std::string_view name);

/// An answer or a part of one as a JSON object, repaired if need be. A list of
/// one object is that object.
[[nodiscard]] tl::expected<protocol::json::object, protocol::action_error>
read_object(std::string_view text);

/// Takes the counts of an object `usage`, under the names of any format, as far
/// as they are there: counts are totals so far.
void take_usage(protocol::usage& to, const protocol::json::object& from);

/// Why a model stopped, in the words of any format; null: it is not known, so
/// the answer may be cut.
[[nodiscard]] std::optional<finish_reason> known_finish(std::string_view word);

} // namespace convene::host
