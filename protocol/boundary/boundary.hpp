#pragma once

#include <convene/protocol/boundary/plain_reply.hpp>
#include <convene/protocol/boundary/schema_gate.hpp>
#include <convene/protocol/documents/reply.hpp>

#include <memory>
#include <optional>

namespace convene::protocol::boundary {

/// The compiled schemas of everything that crosses a runtime's boundary.
/// Immutable, except for what the gates learn; safe to share between threads.
struct rules {
  compiled_schema scenario; ///< resolved, as MAPSessionStarted carries it
  compiled_schema reply;
  compiled_schema collab;
  compiled_schema context;
  compiled_schema plan;
  compiled_schema confirm;
  compiled_schema dialog;
  compiled_schema trace;
  compiled_schema extension;
  compiled_schema core;
  compiled_schema network;
  std::unique_ptr<const event_gate> gate;
  std::unique_ptr<const event_gate> every_line_gate;
  plain_reply plain; ///< what `reply` requires of most replies
};

[[nodiscard]] result<std::shared_ptr<const rules>>
make_rules(const schema_source& schemas);

/// Those of the embedded schemas; created on first use and then cached.
[[nodiscard]] result<std::shared_ptr<const rules>> embedded_rules();

/// The fault of a reply, if any.
[[nodiscard]] std::optional<error> check_reply(const rules& by,
                                               const protocol::reply& what);

} // namespace convene::protocol::boundary
