#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/protocol/documents/common.hpp>
#include <convene/server/http/request.hpp>
#include <convene/server/http/response.hpp>
#include <convene/server/sessions/session_host.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace convene::server {

/// An error in the API's own form.
[[nodiscard]] response refusal(unsigned status, std::string_view code,
                               std::string_view message,
                               boost::json::object details = {});

/// An error of the host: its own words for what the caller can do something
/// about; of anything else only the request's id, and the rest in the
/// diagnostic log.
[[nodiscard]] response refusal(const protocol::error& why, const request& to);

/// The error of `convene validate --json`: {instance, schema_path, keyword,
/// message, line, column}.
[[nodiscard]] boost::json::object
validation_error(const protocol::error& what,
                 std::string_view schema_path = {});

[[nodiscard]] protocol::error session_unknown();

/// The session that the path names, if there is one that the caller may see.
[[nodiscard]] protocol::result<session_row> session_of(const request& from,
                                                       session_host& host);

/// A number of the query, from `least` to `most`.
[[nodiscard]] protocol::result<std::uint64_t>
number_of(const request& from, std::string_view name, std::uint64_t otherwise,
          std::uint64_t least, std::uint64_t most);

/// A JSON object of a request, in bounds; an empty body is an empty one.
[[nodiscard]] protocol::result<protocol::json::object>
object_of_body(const request& from, std::size_t bytes_max);

/// The longest that a long poll waits.
inline constexpr std::uint64_t wait_ms_max = 60'000;

/// How long a start or an answer may take to become durable, and what is said
/// of a start that takes longer.
inline constexpr std::chrono::seconds durable_limit{30};
[[nodiscard]] response start_not_durable();

/// The answer when too much is waiting for a thread.
[[nodiscard]] response overloaded();

} // namespace convene::server
