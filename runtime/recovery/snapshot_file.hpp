#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/protocol/json/json_text.hpp>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

// A running session's state beside its log, so that going on with it costs what
// came since. It holds no truth: whatever is wrong with one, the log has all.

namespace convene::host {

/// Sessions with more to keep go without a snapshot.
inline constexpr std::size_t snapshot_bytes_max = std::size_t{64} << 20;

/// A session's state (session/snapshot/) and the events that it comes from.
struct session_snapshot {
  std::string session_id;
  std::uint64_t events = 0;  ///< of the session, from its first on
  std::uint32_t segment = 0; ///< number of the one where the last one stands
  std::uint64_t line = 0;    ///< in that segment
  std::string last_digest;   ///< of the last of them
  std::string started;       ///< the first of them, as it stands on the log
  protocol::json::value state;
};

/// What tells an event's line from any other: 64 hexadecimal digits.
[[nodiscard]] std::string digest_of(std::string_view line);

/// `events.snapshots/<session>` beside `events.jsonl`, `snapshots/<session>` in
/// a log that is a folder. Nothing where the session's id is no UUID.
[[nodiscard]] std::optional<std::filesystem::path>
snapshot_path(const std::filesystem::path& log, std::string_view session_id);

/// The file's bytes: a line with what it covers, a line with the first event,
/// one with the state, and one with the CRC-32C of those three.
[[nodiscard]] std::string encode(const session_snapshot& what);

/// Reads it back; `errc::invalid_document` with the rule `snapshot` for
/// anything that is not as `encode` writes it.
[[nodiscard]] protocol::result<session_snapshot>
decode_snapshot(std::string_view bytes);

/// Replaces the session's snapshot by this one, which is on the disk, or leaves
/// it. The events that it covers must be on the disk before. Returns its size.
[[nodiscard]] protocol::result<std::size_t>
write_snapshot(const std::filesystem::path& log, const session_snapshot& what);

/// The session's snapshot; nothing: it has none.
[[nodiscard]] protocol::result<std::optional<session_snapshot>>
read_snapshot(const std::filesystem::path& log, std::string_view session_id);

/// Removes it, also where it was only begun, and the folder with the last one.
/// Nothing if there is none.
void remove_snapshot(const std::filesystem::path& log,
                     std::string_view session_id);

} // namespace convene::host
