#pragma once

#include <convene/runtime/outside/participants/a2a_agent.hpp>

#include <string_view>

// A2A 0.3 in the words of 1.0, by the mapping that the official SDKs publish
// (their compatibility layer); for sources in this folder only. Pure. What has
// another form than expected stays as it is, and fails where 1.0 is read.

namespace convene::host {

/// A card with `supportedInterfaces`, `securitySchemes` and
/// `securityRequirements` as 1.0 has them. Those of a card that has both forms
/// are its own; interfaces without a version get the card's, else 1.0.
[[nodiscard]] protocol::json::object modern_card(protocol::json::object card);

/// A SendMessageRequest of 1.0 as 0.3 has it. JSON-RPC has `kind` members, and
/// a data part's media type in its metadata; HTTP+JSON has the form of its
/// Protocol Buffers, without media types.
[[nodiscard]] protocol::json::object legacy_message(protocol::json::object from,
                                                    a2a_binding binding);

/// A message or task as 0.3 answers with it, as {"message": {...}} or {"task":
/// {...}} of 1.0, without the task's history.
[[nodiscard]] protocol::json::object modern_answer(protocol::json::object from);

/// The name of a method of JSON-RPC.
[[nodiscard]] std::string_view legacy_method(std::string_view modern);

} // namespace convene::host
