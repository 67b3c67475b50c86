#pragma once

#include <convene/protocol/base/uuid.hpp>
#include <convene/runtime/log/event_log/group_scanner.hpp>
#include <convene/runtime/log/event_log/log_reader.hpp>

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// Which bytes of a segment belong to which session. An index is not
// authoritative: it can be deleted and rebuilt, and its users check the bytes
// that it names. docs/events.md section 3 has its format.

namespace convene::host {

/// The largest index; a segment that would need more has none.
inline constexpr std::size_t index_bytes_max = std::size_t{256} << 20;

/// What an index begins with.
inline constexpr std::string_view index_magic = "convidx1";

/// Neighbouring lines of one session, in one group.
struct event_range {
  std::uint64_t offset = 0; ///< in the segment's file
  std::uint64_t bytes = 0;  ///< with the line ends
  std::uint64_t line = 0;   ///< number of the first one
  std::uint64_t lines = 0;
  std::uint32_t crc = 0; ///< of these bytes, when their group was checked

  bool operator==(const event_range&) const = default;
};

/// Builds an index from all events of a segment, in order.
class session_index {
public:
  /// Takes the next event. False: the index has become too large.
  [[nodiscard]] bool add(const event_line& event);

  /// The file's bytes; `end` is the place after the last event's group.
  [[nodiscard]] std::string encode(const group_place& end);

  /// Reads a whole file back, so that more can be added; nothing if it is not
  /// an index. `end` is set to the place up to which it was built.
  [[nodiscard]] static std::optional<session_index>
  decode(std::string_view bytes, group_place& end);

private:
  struct session_ranges {
    std::string closed;       // encoded
    std::uint64_t offset = 0; // where the last closed range ends
    std::uint64_t line = 0;
    event_range open; // none: no lines
  };

  void close(session_ranges& ranges);

  std::map<protocol::uuid, session_ranges> sessions_;
  std::size_t bytes_ = 0; // of all that is encoded
};

/// What a segment's index states about one session.
struct indexed_session {
  std::vector<event_range> ranges; ///< empty: the session is not in it
  group_place end;                 ///< what follows is not in the index
};

/// `000001.index` for `000001.jsonl`.
[[nodiscard]] std::filesystem::path
index_path(const std::filesystem::path& segment);

/// Looks up a session, reading little of the index. Nothing: there is no index,
/// it is damaged, or it was not built from what is in `segment` now.
[[nodiscard]] std::optional<indexed_session>
look_up(const std::filesystem::path& segment, const protocol::uuid& session);

} // namespace convene::host
