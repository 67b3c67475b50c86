#include <convene/protocol/events/event_encoding.hpp>
#include <convene/protocol/events/workspace_event.hpp>

namespace convene::protocol {
namespace {

void write_actor(json_writer& out, const resource_act& act) {
  if (!act.who.participant_id.empty()) {
    out.raw(R"(,"participant_id":)").string(act.who.participant_id);
    out.raw(R"(,"role_id":)").string(act.who.role_id);
  }
  if (act.turn_number != 0)
    out.raw(R"(,"turn_number":)").number(act.turn_number);
  if (act.token_id != uuid{})
    out.raw(R"(,"token_id":)").id(act.token_id);
}

void write_name(json_writer& out, const resource_act& act) {
  out.raw(R"({"resource_type":)").string(act.resource_type);
  out.raw(R"(,"resource_id":)").string(act.resource_id);
}

} // namespace

void encode(byte_buffer& buffer, const event_head& head,
            const resource_written& event) {
  json_writer out{buffer};
  open_core_event(out, head, "resource_written", "graph_update");
  out.raw(R"(,"graph_id":)").string(event.graph_id);
  switch (event.change) {
    case node_change::added:
      out.raw(R"(,"update_kind":"node_add","node_delta":1)");
      break;
    case node_change::updated:
      out.raw(R"(,"update_kind":"node_update","node_delta":0)");
      break;
    case node_change::removed:
      out.raw(R"(,"update_kind":"node_delete","node_delta":-1)");
      break;
  }
  write_name(out.raw(R"(,"edge_delta":0,"source_module":"collab","payload":)"),
             event.act);
  out.raw(R"(,"version":)").number(static_cast<std::int64_t>(event.version));
  out.raw(R"(,"base_version":)").number(event.base_version);
  out.raw(R"(,"op":)").string(to_word(event.op));
  if (event.value != nullptr)
    write_value(out.raw(R"(,"value":)"), *event.value);
  write_actor(out, event.act);
  if (event.conflict_id != uuid{})
    out.raw(R"(,"conflict_id":)").id(event.conflict_id);
  if (event.input)
    out.raw(R"(,"input":"write")");
  out.raw("}}\n");
}

void encode(byte_buffer& buffer, const event_head& head,
            const write_refused& event) {
  json_writer out{buffer};
  open_core_event(out, head, "write_refused", "runtime_execution");
  out.raw(R"(,"execution_id":)").id(event.execution_id);
  out.raw(R"(,"executor_kind":"agent")");
  optional_member(out, R"(,"executor_role":)", event.act.who.role_id);
  write_name(out.raw(R"(,"status":"failed","payload":)"), event.act);
  out.raw(R"(,"base_version":)").number(event.write->base_version);
  out.raw(R"(,"op":)").string(to_word(event.write->op));
  if (event.input && !event.write->value.is_null())
    write_value(out.raw(R"(,"value":)"), event.write->value);
  write_actor(out, event.act);
  if (event.input)
    out.raw(R"(,"input":"write")");
  out.raw(R"(,"error":{"code":)").string(event.error_code);
  out.raw(R"(,"message":)").string(event.error_message).raw("}}}\n");
}

void encode(byte_buffer& buffer, const event_head& head,
            const claim_event& event) {
  json_writer out{buffer};
  if (event.kind == claim_event_kind::refused) {
    open_core_event(out, head, "claim_refused", "runtime_execution");
    out.raw(R"(,"execution_id":)").id(event.execution_id);
    out.raw(R"(,"executor_kind":"agent")");
    optional_member(out, R"(,"executor_role":)", event.act.who.role_id);
    write_name(out.raw(R"(,"status":"failed","payload":)"), event.act);
    if (event.claim->release)
      out.raw(R"(,"release":true)");
    optional_member(out, R"(,"to":)", event.claim->to);
    write_actor(out, event.act);
    if (event.input)
      out.raw(R"(,"input":"claim")");
    out.raw(R"(,"error":{"code":)").string(event.error_code);
    out.raw(R"(,"message":)").string(event.error_message).raw("}}}\n");
    return;
  }
  const bool released = event.kind == claim_event_kind::released;
  const bool moves = event.kind == claim_event_kind::handed_over;
  open_core_event(out, head,
                  released ? "claim_released"
                  : moves  ? "claim_handed_over"
                           : "claim_taken",
                  "graph_update");
  out.raw(R"(,"graph_id":)").string(event.graph_id);
  if (released)
    out.raw(R"(,"update_kind":"edge_delete","node_delta":0,"edge_delta":-1)");
  else if (moves || event.renewed)
    out.raw(R"(,"update_kind":"edge_update","node_delta":0,"edge_delta":0)");
  else
    out.raw(R"(,"update_kind":"edge_add","node_delta":0,"edge_delta":1)");
  write_name(out.raw(R"(,"source_module":"collab","payload":)"), event.act);
  write_actor(out, event.act);
  optional_member(out, R"(,"to_participant":)", event.to.participant_id);
  optional_member(out, R"(,"to_role":)", event.to.role_id);
  if (event.expires_at != 0)
    out.raw(R"(,"expires_at":)").time(event.expires_at);
  optional_member(out, R"(,"reason":)", event.reason);
  if (event.input)
    out.raw(R"(,"input":"claim")");
  out.raw("}}\n");
}

void encode(byte_buffer& buffer, const event_head& head,
            const workspace_opened& event) {
  const auto count = static_cast<std::int64_t>(event.resources);
  json_writer out{buffer};
  open_core_event(out, head, "workspace_opened", "graph_update");
  out.raw(R"(,"graph_id":)").string(event.graph_id);
  out.raw(R"(,"update_kind":"bulk","node_delta":)").number(count);
  out.raw(R"(,"edge_delta":0,"source_module":"collab","payload":)");
  out.raw(R"({"resources":)").number(count).raw("}}\n");
}

} // namespace convene::protocol
