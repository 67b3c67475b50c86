#pragma once

#include <convene/protocol/documents/document_codec.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/protocol/workflow/run_payloads.hpp>
#include <convene/protocol/workflow/workflow.hpp>

namespace convene::session {

// Why an event of a run's log is refused, and how its parts are read.

/// It cannot follow what was there.
[[nodiscard]] inline tl::unexpected<protocol::error>
misplaced_in_run(const protocol::run_event& event, std::string why) {
  return protocol::fail({.code = protocol::errc::invalid_document,
                         .message = event.type + " of event "
                                    + std::to_string(event.sequence)
                                    + " cannot stand here: " + std::move(why),
                         .rule = "run_order"});
}

/// A part of it does not fit to the run.
[[nodiscard]] inline tl::unexpected<protocol::error>
wrong_in_run(std::string message, std::string pointer) {
  return protocol::fail({.code = protocol::errc::invalid_document,
                         .message = std::move(message),
                         .pointer = std::move(pointer),
                         .rule = "run_event"});
}

template <class T>
[[nodiscard]] protocol::result<T> payload_of(const protocol::run_event& event) {
  return protocol::decode<T>(event.payload.held, "/payload");
}

/// The node of an event, which its payload and its envelope name.
[[nodiscard]] inline protocol::result<std::size_t>
place_of_event(const protocol::workflow& of, const protocol::run_event& event) {
  const auto* const payload = event.payload.held.if_object();
  const std::string node_id{payload ? protocol::text_of(*payload, "nodeId")
                                    : ""};
  if (event.node_id.value_or(node_id) != node_id)
    return wrong_in_run("the event is of another node", "/nodeId");
  if (const auto place = of.find(node_id))
    return *place;
  return wrong_in_run("the workflow has no node " + protocol::quote(node_id),
                      "/payload/nodeId");
}

} // namespace convene::session
