#include <convene/protocol/base/utf8.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/protocol/otlp/session_spans.hpp>

namespace convene::protocol {
namespace {

/// The names that a span of an action has, by the action's kind.
void describe_action(trace_span& what, std::string_view kind,
                     std::string_view name, const json::object& arguments) {
  auto& attributes = what.attributes;
  if (kind == "model") {
    what.name = span_name("chat", name);
    what.kind = span_kind::client;
    set_text(attributes, "gen_ai.operation.name", "chat");
    set_text(attributes, "gen_ai.provider.name",
             text_of(arguments, "provider"));
    set_text(attributes, "gen_ai.request.model", name);
    set_text(attributes, "mplp.llm.model", name);
  } else if (kind == "http") {
    constexpr std::size_t method_bytes_max = 32;
    const auto method = cut_utf8(text_of(arguments, "method"),
                                 method_bytes_max);
    what.name = span_name(method.empty() ? "HTTP" : method, name);
    what.kind = span_kind::client;
    set_text(attributes, "http.request.method", method);
  } else if (kind == "person") {
    what.name = span_name("wait_for", name);
  } else {
    what.name = span_name("execute_tool", name);
    set_text(attributes, "gen_ai.operation.name", "execute_tool");
    set_text(attributes, "mplp.tool.name", name);
    if (kind == "mcp") {
      what.kind = span_kind::client;
      set_text(attributes, "mcp.method.name", "tools/call");
      set_text(attributes, "network.transport", "pipe");
      // Behind the server's name.
      const auto slash = name.find('/');
      name.remove_prefix(slash == name.npos ? 0 : slash + 1);
    }
    set_text(attributes, "gen_ai.tool.name", name);
  }
}

} // namespace

void session_spans::start_action(const json::object& event,
                                 const json::object& payload) {
  const auto token = text_of(payload, "token_id");
  const auto who = text_of(payload, "participant_id");
  const auto known = find(token, who);
  const auto parent = known ? *known : open_question(token, who);
  const auto kind = text_of(payload, "kind");
  trace_span made{.parent = parent, .start = now_};
  const auto id = action_span(
    session_id_, {.participant = who,
                  .token = token,
                  .position = text_of(payload, "position"),
                  .number = integer_of(payload, "attempt").value_or(1)});
  if (action_spans_.insert(id).second)
    made.id = id;
  describe_action(made, kind, text_of(payload, "name"),
                  object_of(payload, "arguments"));
  set_text(made.attributes, "mplp.operation", "action");
  set_text(made.attributes, "mplp.action_kind", kind);
  copy_members(made.attributes, payload,
               {"participant_id", "position", "attempt", "repeatable"});
  actions_.insert_or_assign(std::string{text_of(event, "execution_id")},
                            open(std::move(made)));
}

void session_spans::end_action(const json::object& event,
                               const json::object& payload) {
  const auto began = actions_.find(text_of(event, "execution_id"));
  if (began == actions_.end())
    return;
  const auto at = began->second;
  actions_.erase(began);
  const auto& result = object_of(payload, "result");
  const auto& error = object_of(result, "error");
  const auto code = text_of(error, "code");
  use(at, result);
  copy_members(spans_[at].attributes, payload, {"duration_ms"});
  close(at, outcome_of(text_of(result, "status"), error));
  // A question that the session closed by itself may have no other end.
  const auto asked = spans_[at].parent.value_or(0);
  const auto latest = questions_.find(text_of(payload, "participant_id"));
  if (latest != questions_.end() && latest->second == asked
      && spans_[asked].is_open && !payload.contains("input")
      && code != "answered" && code != "begun_again")
    close(asked, outcome_of(code == "timed_out" ? code : "cancelled", error));
}

} // namespace convene::protocol
