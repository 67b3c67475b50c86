#pragma once

#include <convene/actors/behaviours/turn_request.hpp>
#include <convene/protocol/codec/object_reader.hpp>
#include <convene/protocol/documents/describe_reply.hpp>

#include <span>
#include <string>
#include <string_view>

// What a model can do in a session, each with what it takes and does; for
// sources in this folder only. Pure.

namespace convene::host {

/// One thing that a model can do.
struct session_tool {
  std::string_view name;
  std::string_view description;
  std::string_view properties; ///< of its arguments' schema
  std::string_view required;   ///< of them, as a JSON array
  bool ends;                   ///< nothing is to be said after it
  bool (*is_offered)(const actors::turn_request&);
  /// Adds what the arguments say to a reply, and may take them apart. Returns
  /// what is wrong with them; empty: nothing.
  std::string (*call)(protocol::json::object& arguments,
                      const actors::turn_request&, protocol::reply&);
  /// Where it is in a reply that is one JSON object; ending in []: a list;
  /// empty: nowhere.
  std::string_view member;
};

/// `read_resource`, the one tool that adds nothing to a reply.
inline constexpr std::string_view read_name = "read_resource";

/// All of them, whether a request offers them or not.
[[nodiscard]] std::span<const session_tool> all_session_tools() noexcept;

/// The schema of a tool's arguments.
[[nodiscard]] protocol::json::object schema_of(const session_tool& what);

/// Kinds of requests.
[[nodiscard]] bool is_decision(const actors::turn_request& asked);
[[nodiscard]] bool is_vote(const actors::turn_request& asked);

/// A write without a base version changes the version that was shown.
void add_base_version(protocol::json::object& to,
                      const actors::turn_request& asked);

/// Reads a tool's arguments into what they stand for, strictly. Returns what is
/// wrong with them; empty: nothing.
template <class T>
std::string read_into(const protocol::json::value& from, T& to) {
  protocol::reading r;
  if (protocol::read(r, from, protocol::place{}, protocol::anything, to))
    return {};
  return (r.fault->pointer.empty() ? "" : r.fault->pointer + ": ")
         + r.fault->message;
}

} // namespace convene::host
