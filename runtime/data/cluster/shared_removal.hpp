#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/runtime/data/postgres/postgres_connection.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace convene::host {

/// What one call of `remove_ended` removed.
struct removed_part {
  std::uint64_t sessions = 0;
  std::uint64_t events = 0;
  std::uint64_t blobs = 0;
  bool more = false; ///< another call may find more
};

/// Events that one call removes at most.
inline constexpr std::size_t removal_events_max = 5'000;

/// Removes sessions that ended longer ago than `age`, with their events, and
/// the blobs that no other session refers to; in one transaction. Of several
/// nodes that call it at once, one does; the others remove nothing. With a
/// stream: only sessions all of whose events have settled there, with their
/// cursors, which are in `convene.published_events`.
[[nodiscard]] protocol::result<removed_part>
remove_ended(postgres_connection& in, std::chrono::milliseconds age,
             std::size_t events_max = removal_events_max,
             std::string_view stream = {});

} // namespace convene::host
