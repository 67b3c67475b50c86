#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/runtime/data/postgres/postgres_connection.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace convene::host {

/// A session that a node may append to, with this epoch only.
struct owned_session {
  std::string id; ///< a UUID
  std::int64_t epoch = 0;
  std::int64_t length = 0; ///< events on its log

  friend bool operator==(const owned_session&, const owned_session&) = default;
};

/// What one call of `take_sessions` takes at most.
inline constexpr std::size_t take_over_max = 1'000;

/// Makes the node the first owner of these sessions, with epoch 1; returns
/// those that it owns now: none without a valid lease, and none that has
/// another owner. May be repeated.
[[nodiscard]] protocol::result<std::vector<owned_session>>
claim_sessions(postgres_connection& in, std::string_view boot_id,
               const std::vector<std::string_view>& ids);

/// Where a session is.
struct session_place {
  std::string session_id;
  std::string node;         ///< its name
  std::string address;      ///< of the node, as are the following
  std::string peer_address; ///< empty: other nodes do not reach it
  bool is_member = false;   ///< its lease has not lapsed
  bool has_ended = false;   ///< the session
  std::string boot_id = {}; ///< of the node's latest start

  friend bool operator==(const session_place&, const session_place&) = default;
};

/// Of these sessions those that have an owner, in any order. If the owner has
/// started again since, it is the node of its name that counts.
[[nodiscard]] protocol::result<std::vector<session_place>>
find_sessions(postgres_connection& in,
              const std::vector<std::string_view>& ids);

/// Takes sessions whose owner has left or let its lease lapse, up to `most`,
/// and raises their epochs. Takes none for a node without a valid lease. What
/// another node is taking, or what is being appended to, is passed by. If the
/// outcome is unknown, `sessions_of` shows it. `shares`: takes a part of them,
/// by the number of nodes that are up, but no fewer than `share_min`.
[[nodiscard]] protocol::result<std::vector<owned_session>>
take_sessions(postgres_connection& in, std::string_view boot_id,
              std::size_t most = take_over_max, bool shares = false);
inline constexpr std::size_t share_min = 100;

/// How long until the first lease of another node lapses, unless that is
/// renewed; unset: no other node is up.
[[nodiscard]] protocol::result<std::optional<std::chrono::milliseconds>>
next_lapse(postgres_connection& in, std::string_view boot_id);

/// After the node has joined again: makes it the owner, under its new id and
/// the same epochs, of these sessions of its own, except for those that have
/// another owner.
[[nodiscard]] protocol::result<void>
keep_sessions(postgres_connection& in, std::string_view boot_id,
              const std::vector<owned_session>& which);

/// Of these, the sessions whose epoch is another one: other nodes have them.
[[nodiscard]] protocol::result<std::vector<owned_session>>
lost_sessions(postgres_connection& in, const std::vector<owned_session>& which);

/// All sessions of a node that have not ended. A session's `length` counts only
/// while the node appends nothing to it.
[[nodiscard]] protocol::result<std::vector<owned_session>>
sessions_of(postgres_connection& in, std::string_view boot_id);

/// No node takes these sessions any more. Those of another epoch are left
/// alone.
[[nodiscard]] protocol::result<void>
end_sessions(postgres_connection& in, const std::vector<owned_session>& which);

} // namespace convene::host
