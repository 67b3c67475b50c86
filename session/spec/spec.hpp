#pragma once

#include <convene/protocol/base/api.hpp>
#include <convene/protocol/base/boxed.hpp>
#include <convene/protocol/base/byte_buffer.hpp>
#include <convene/protocol/base/error.hpp>
#include <convene/protocol/documents/collab.hpp>
#include <convene/protocol/documents/confirm.hpp>
#include <convene/protocol/documents/context.hpp>
#include <convene/protocol/documents/core.hpp>
#include <convene/protocol/documents/extension.hpp>
#include <convene/protocol/documents/network.hpp>
#include <convene/protocol/documents/plan.hpp>
#include <convene/protocol/documents/reply.hpp>
#include <convene/protocol/documents/role.hpp>
#include <convene/protocol/documents/trace_context.hpp>
#include <convene/session/options/options.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace convene::session {

/// A shared resource that exists when the session starts.
struct initial_resource {
  std::string resource_type;
  std::string resource_id;
  protocol::json::value value;

  bool operator==(const initial_resource&) const = default;
};

/// Where a session was forked from another one.
struct session_origin {
  std::string log;        ///< as named when the fork was made
  std::string session_id; ///< of the forked session
  std::string event_id;   ///< of its last event that the fork shares

  bool operator==(const session_origin&) const = default;
};

/// A fully resolved scenario: everything a session needs before it starts. Its
/// JSON form is the scenario file's, with every document embedded and every
/// default filled in; MAPSessionStarted carries it.
struct spec {
  protocol::context context;
  protocol::collab collab;
  protocol::boxed<protocol::plan> plan;
  protocol::boxed<protocol::confirm> confirm; ///< one that concerns the plan
  std::vector<protocol::role> roles;
  /// What behaviours and MCP servers were made of (docs/modules.md); the
  /// registered ones are active once the session has started.
  std::vector<protocol::extension> extensions;
  std::vector<protocol::confirm> extension_confirms;
  protocol::boxed<protocol::core> core;       ///< what the instance can do
  protocol::boxed<protocol::network> network; ///< where participants are
  std::vector<initial_resource> workspace;    ///< resources at their version 1
  std::string task;                           ///< what the session is about
  std::vector<protocol::task> tasks;          ///< work besides the plan
  session::options options;
  /// By participant id, `"*"` for the rest. The content matters only to those
  /// who run participants.
  protocol::json::object behaviours;
  /// MCP servers by name, whose tools behaviours can use.
  protocol::json::object mcp_servers;
  /// Seed for the answers of simulated participants. Unset: from the system.
  std::optional<std::uint64_t> seed;
  std::optional<session_origin> origin; ///< of a fork
  /// The caller's, of whose trace the session is a part.
  std::optional<protocol::trace_context> trace_context;
  /// Whether the log gets digests: of the scenario, and of each action with its
  /// result. No part of the JSON form.
  bool digests = false;

  bool operator==(const spec&) const = default;
};

/// The JSON form: {convene, context, collab, [plan], [confirm], [roles],
/// [extensions], [extension_confirms], [core], [network], task, [tasks],
/// [behaviours], [mcp_servers], [workspace], session, [seed], [origin],
/// [trace_context]}.
[[nodiscard]] CONVENE_API protocol::json::object encode(const spec& what);

/// A scenario as text.
struct spec_text {
  protocol::byte_buffer all;
  /// Where the array is that its tasks became; 0: there are none, or nobody
  /// knows.
  std::size_t tasks_begin = 0;
  std::size_t tasks_end = 0;

  [[nodiscard]] std::string_view view() const noexcept {
    return all.view();
  }
  [[nodiscard]] std::string_view tasks() const noexcept {
    return view().substr(tasks_begin, tasks_end - tasks_begin);
  }
};

/// Whether a behaviour of the scenario may act outside of the session, so that
/// its log is to have digests. Functions of the application are not judged.
[[nodiscard]] CONVENE_API bool acts_outside(const spec& what);

/// Sets `turn_timeout_ms` to its default where no behaviour has a time of its
/// own.
void fill_turn_timeout(spec& what);

/// The same as text, ready for MAPSessionStarted, if `decode_spec` accepts it
/// there; otherwise its error. A spec made by code may contain what no scenario
/// can.
[[nodiscard]] CONVENE_API protocol::result<spec_text>
encode_text(const spec& what);

/// Reads what `encode` wrote, or a scenario file with every document embedded.
/// Refuses unknown members; errors name pointer, rule and value.
[[nodiscard]] CONVENE_API protocol::result<spec>
decode_spec(const protocol::json::value& from);

} // namespace convene::session
