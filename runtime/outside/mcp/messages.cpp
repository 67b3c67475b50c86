#include <boost/json/array.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/runtime/outside/mcp/messages.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <system_error>

namespace convene::host {
namespace {

namespace json = protocol::json;

mcp_connection::failure no_use(std::string code, std::string message) {
  mcp_connection::failure made;
  made.code = std::move(code);
  made.message = std::move(message);
  return made;
}

} // namespace

bool speaks_initialized_version(std::string_view version) {
  constexpr std::array<std::string_view, 4> all{mcp_initialized_version,
                                                "2025-06-18", "2025-03-26",
                                                "2024-11-05"};
  return std::ranges::find(all, version) != all.end();
}

json::object mcp_client_info() {
  return {{"name", "convene"}, {"version", CONVENE_VERSION}};
}

json::object mcp_request_meta() {
  return {{"io.modelcontextprotocol/protocolVersion", mcp_version},
          {"io.modelcontextprotocol/clientCapabilities", json::object{}},
          {"io.modelcontextprotocol/clientInfo", mcp_client_info()}};
}

json::object mcp_trace_meta(const protocol::trace_context& trace) {
  json::object made{{"traceparent", trace.traceparent}};
  if (!trace.tracestate.empty())
    made.emplace("tracestate", trace.tracestate);
  return made;
}

std::optional<std::int64_t> answered_id(const json::object& message) {
  if (const auto id = protocol::integer_of(message, "id"))
    return id;
  const auto* id = message.if_contains("id");
  if (id == nullptr)
    return std::nullopt;
  if (const auto* number = id->if_double()) {
    constexpr double exact_max = 9007199254740992.0;
    if (std::abs(*number) <= exact_max && std::trunc(*number) == *number)
      return static_cast<std::int64_t>(*number);
    return std::nullopt;
  }
  const auto text = protocol::text_of(message, "id");
  const auto* const end = text.data() + text.size();
  std::int64_t made = 0;
  const auto [at, fault] = std::from_chars(text.data(), end, made);
  return !text.empty() && at == end && fault == std::errc{}
           ? std::optional{made}
           : std::nullopt;
}

mcp_connection::answer result_of(const json::object& message,
                                 std::string_view what) {
  const std::string prefix{what};
  if (const auto* error = message.if_contains("error")) {
    const auto* told = error->if_object();
    if (told == nullptr)
      return tl::unexpected{
        no_use("invalid_answer", prefix + " answered with no valid error")};
    const auto code = protocol::integer_of(*told, "code");
    return tl::unexpected{
      no_use("server_error",
             prefix + " answered with error "
               + (code ? std::to_string(*code) : std::string{"without a code"})
               + ": " + protocol::quote(protocol::text_of(*told, "message")))};
  }
  const auto* result = message.if_contains("result");
  if (result == nullptr || !result->is_object())
    return tl::unexpected{
      no_use("invalid_answer", prefix + " answered without a result")};
  const auto& made = result->get_object();
  const auto type = protocol::text_of(made, "resultType");
  if (type == "input_required")
    return tl::unexpected{no_use(
      "input_required", prefix
                          + " asks for more input, which convene does not "
                            "give; call it with all that it needs")};
  if (made.contains("resultType") && type != "complete")
    return tl::unexpected{no_use(
      "invalid_answer", prefix + " answered with a result of the type "
                          + protocol::quote(type) + ", which is not known")};
  return made;
}

tool tool_of(const json::value& from) {
  tool made;
  const auto* object = from.if_object();
  const auto* schema = object == nullptr ? nullptr
                                         : object->if_contains("inputSchema");
  if (schema == nullptr || !schema->is_object())
    return made;
  made.name = protocol::text_of(*object, "name");
  made.description = protocol::text_of(*object, "description");
  made.input_schema = schema->get_object();
  const auto& hints = protocol::object_of(*object, "annotations");
  const auto* read_only = hints.if_contains("readOnlyHint");
  made.read_only = read_only != nullptr && read_only->is_bool()
                   && read_only->get_bool();
  return made;
}

} // namespace convene::host
