#pragma once

#include <boost/json/object.hpp>

#include <cstdint>
#include <optional>
#include <string_view>

namespace convene::protocol {

namespace json = boost::json;

/// How long a participant has for each request.
struct response_time {
  std::int64_t timeout_ms = 30'000;
  bool is_person = false;   ///< its behaviour is of type human
  bool asks_person = false; ///< to approve its calls

  bool operator==(const response_time&) const = default;
};

/// By `behaviours` and `session.turn_timeout_ms` of a scenario: what the
/// participant's entry says (`timeout_ms` of types human, llm, process, http,
/// a2a, mcp and external), else what the session says, else 24 hours for a
/// person, 5 minutes for the other types of these, and 30 seconds for all
/// others. Where a person approves its calls, the time is a person's, and
/// `timeout_ms` is that of a call. The entry is the one under its id, else the
/// one under "*".
[[nodiscard]] response_time
response_time_of(const json::object& behaviours,
                 std::string_view participant_id,
                 std::optional<std::int64_t> turn_timeout_ms);

/// Whether an entry is of one of these types.
[[nodiscard]] bool takes_its_time(const json::value& entry);

} // namespace convene::protocol
