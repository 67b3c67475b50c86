#include <convene/protocol/events/core_event.hpp>
#include <convene/protocol/events/event_encoding.hpp>

namespace convene::protocol {
namespace {

/// Begins a session_input, up to the payload.
void open_session_input(json_writer& out, const event_head& head,
                        const uuid& execution_id, std::string_view kind,
                        std::string_view role) {
  open_core_event(out, head, "session_input", "runtime_execution");
  out.raw(R"(,"execution_id":)").id(execution_id);
  out.raw(R"(,"executor_kind":)").string(kind);
  optional_member(out, R"(,"executor_role":)", role);
  out.raw(R"(,"status":"completed","payload":)");
}

} // namespace

void encode(byte_buffer& buffer, const event_head& head,
            const stage_changed& event) {
  json_writer out{buffer};
  open_core_event(out, head, event.event_type, "pipeline_stage");
  out.raw(R"(,"pipeline_id":)").string(event.pipeline_id);
  out.raw(R"(,"stage_id":)").string(event.stage_id);
  optional_member(out, R"(,"stage_name":)", event.stage_name);
  out.raw(R"(,"stage_status":)").string(event.stage_status);
  if (event.stage_order >= 0)
    out.raw(R"(,"stage_order":)").number(event.stage_order);
  out.raw(R"(,"payload":{"resource_type":)").string(to_word(event.resource));
  out.raw(R"(,"resource_id":)").string(event.resource_id);
  out.raw(R"(,"from_status":)").string(event.from_status);
  out.raw(R"(,"to_status":)").string(event.to_status);
  out.raw(R"(,"reason":)").string(event.reason);
  optional_member(out, R"(,"target_id":)", event.target_id);
  out.raw("}}\n");
}

void encode(byte_buffer& buffer, const event_head& head,
            const node_added& event) {
  json_writer out{buffer};
  open_core_event(out, head, event.event_type, "graph_update");
  out.raw(R"(,"graph_id":)").string(event.graph_id);
  out.raw(R"(,"update_kind":"node_add","node_delta":)");
  out.number(event.node_delta);
  out.raw(R"(,"edge_delta":)").number(event.edge_delta);
  out.raw(R"(,"source_module":"plan","payload":{)").string(event.payload_name);
  out.raw(":").raw(event.payload_value).raw("}}\n");
}

void encode(byte_buffer& buffer, const event_head& head,
            const session_input& event) {
  json_writer out{buffer};
  open_session_input(out, head, event.execution_id, event.executor_kind,
                     event.executor_role);
  out.raw(event.payload).raw("}\n");
}

void encode(byte_buffer& buffer, const event_head& head,
            const decision_input& event) {
  json_writer out{buffer};
  open_session_input(out, head, event.execution_id, "agent", event.who.role_id);
  out.raw(R"({"input":"decision","participant_id":)");
  out.string(event.who.participant_id);
  out.raw(R"(,"request_id":)").id(event.request_id);
  write_reply(out.raw(R"(,"reply":)"), *event.reply);
  out.raw("}}\n");
}

} // namespace convene::protocol
