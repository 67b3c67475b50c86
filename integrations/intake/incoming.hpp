#pragma once

#include <boost/json/object.hpp>
#include <convene/protocol/base/error.hpp>
#include <convene/protocol/base/timestamp.hpp>
#include <convene/protocol/base/uuid.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace convene::host {

/// Of the largest event that is taken, rule `event_bytes_max` is that of
/// `convene drift --events`.
inline constexpr std::size_t source_bytes_max = 200; ///< rule `source`

/// The longest text of a member by which an event is known again: rule
/// `identity_bytes_max`.
inline constexpr std::size_t identity_bytes_max = 4'096;

enum class incoming_kind : std::uint8_t { file_update, git, ci, tool };

/// An event of a program outside: a core event of the family
/// external_integration that names its source, with an integration event as
/// payload.
struct incoming {
  incoming_kind kind = incoming_kind::file_update;
  std::string source;
  /// Two events with the same one say the same: of a file its path, and two at
  /// the same time; of Git repository, ref, commit and kind, and the time of
  /// what can happen again; of CI provider, pipeline, run and status; of a tool
  /// invocation and status. A SHA-256 in hexadecimal.
  std::string key;
  protocol::timestamp_ms at = 0; ///< when it happened, as it says
  boost::json::object event;
};

/// Whether an event may name this source: rule `source`.
[[nodiscard]] protocol::result<void> check_source(std::string_view source);

/// Reads one. It must be valid by the core schema and, its payload, by the
/// schema of its type: file_update, git_operation, ci_pipeline or
/// tool_execution. Rules besides those of the schemas: `source`,
/// `event_family`, `event_type`, `path` for one that leads out of the folder,
/// `identity_bytes_max`.
[[nodiscard]] protocol::result<incoming>
read_incoming(const boost::json::value& event);
[[nodiscard]] protocol::result<incoming>
read_incoming_line(std::string_view line);

/// The same of what was dropped into a folder, which may also be a payload
/// alone, told by its members and with a `$comment`: it gets an envelope with
/// this source and the time that it states, or `now`.
[[nodiscard]] protocol::result<incoming>
read_dropped(std::string_view text, std::string_view source,
             protocol::timestamp_ms now);

/// An event of this program's own: in an envelope with an id.
[[nodiscard]] protocol::result<incoming>
make_incoming(incoming_kind kind, std::string_view source,
              boost::json::value payload, const protocol::uuid& id,
              protocol::timestamp_ms at);

} // namespace convene::host
