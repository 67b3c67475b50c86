#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/runtime/outside/models/answer_stream.hpp>

#include <limits>
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

/// A count of tokens: at least 0.
[[nodiscard]] std::int64_t count_member(const protocol::json::object& from,
                                        std::string_view name);

/// An answer or a part of one as a JSON object.
[[nodiscard]] tl::expected<protocol::json::object, protocol::action_error>
read_object(std::string_view text);

/// The error that a provider reports, if it reports one.
[[nodiscard]] std::optional<protocol::action_error>
reported_error(const protocol::json::object& from);

} // namespace convene::host
