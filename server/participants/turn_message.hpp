#pragma once

#include <convene/actors/behaviours/turn_request.hpp>
#include <convene/protocol/base/error.hpp>
#include <convene/protocol/documents/common.hpp>
#include <convene/session/requests/recorded_action.hpp>
#include <convene/session/requests/request.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

// What nodes say to each other about a participant and its turns.

namespace convene::server {

/// One line of an answer, and one request, in bytes.
inline constexpr std::size_t line_bytes_max = std::size_t{8} << 20;
/// All lines of a turn.
inline constexpr std::size_t turn_bytes_max = std::size_t{64} << 20;
/// A key in hexadecimal digits.
inline constexpr std::size_t key_digits = 64;

/// A request to a participant on another node.
struct turn_order {
  actors::turn_request asked; ///< without `live`
  session::participant_index self = session::no_participant;
  std::int64_t left_ms = 0;
  session::recorded_actions before;
};

/// `asked.live` is set.
[[nodiscard]] protocol::json::object
encode_turn(const actors::turn_request& asked, std::int64_t left_ms);

/// Reads it for a participant of this session.
[[nodiscard]] protocol::result<turn_order>
decode_turn(const protocol::json::object& from,
            const session::session_info& about);

/// What all requests of a session have in common.
[[nodiscard]] protocol::json::object
encode_session(const session::session_info& about);
[[nodiscard]] protocol::result<session::session_info>
decode_session(const protocol::json::object& from);

/// The n-th message of a turn, n from 0, which proves that its sender has the
/// key of the participant and means this turn: an HMAC-SHA256 of token, n and
/// text in 64 digits, a space and the text.
[[nodiscard]] std::string sign_line(std::string_view key,
                                    std::string_view token, std::uint64_t n,
                                    std::string_view text);
/// The text of such a line; an error of rule `turn_unproven` without a part of
/// the line if it is another one.
[[nodiscard]] protocol::result<std::string_view>
open_line(std::string_view line, std::string_view key, std::string_view token,
          std::uint64_t n);

/// In place of the token, for what the session says of a turn's actions.
[[nodiscard]] std::string notice_label(std::string_view token);

} // namespace convene::server
