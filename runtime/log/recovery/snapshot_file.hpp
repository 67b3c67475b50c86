#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/protocol/json/json_text.hpp>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

// A running session's state, saved beside its log, so that resuming replays
// only later events. It is not authoritative: if one is bad, the log has
// everything.

namespace convene::host {

/// Sessions with a larger state have no snapshot.
inline constexpr std::size_t snapshot_bytes_max = std::size_t{64} << 20;

/// A session's state (session/snapshot/) and the events it results from.
struct session_snapshot {
  std::string session_id;
  std::uint64_t events = 0;  ///< of the session, from its first on
  std::uint32_t segment = 0; ///< number of the one with the last event
  std::uint64_t line = 0;    ///< in that segment
  std::string last_digest;   ///< of the last event
  std::string started;       ///< the first event, as on the log
  protocol::json::value state;
};

/// `events.snapshots/<session>` beside `events.jsonl`, `snapshots/<session>` in
/// a log that is a folder. Nothing if the session's id is not a UUID.
[[nodiscard]] std::optional<std::filesystem::path>
snapshot_path(const std::filesystem::path& log, std::string_view session_id);

/// The file's bytes: a line with what it covers, a line with the first event,
/// one with the state, and one with the CRC-32C of those three.
[[nodiscard]] std::string encode(const session_snapshot& what);

/// Reads it back; `errc::invalid_document` with the rule `snapshot` for
/// anything that `encode` does not write.
[[nodiscard]] protocol::result<session_snapshot>
decode_snapshot(std::string_view bytes);

/// Durably replaces the session's snapshot by this one, or leaves the old one.
/// The events that it covers must already be on disk. Returns its size.
[[nodiscard]] protocol::result<std::size_t>
write_snapshot(const std::filesystem::path& log, const session_snapshot& what);

/// The session's snapshot, if any.
[[nodiscard]] protocol::result<std::optional<session_snapshot>>
read_snapshot(const std::filesystem::path& log, std::string_view session_id);

/// Removes the snapshot, even if only begun, and the folder with the last one.
/// No effect if there is none.
void remove_snapshot(const std::filesystem::path& log,
                     std::string_view session_id);

} // namespace convene::host
