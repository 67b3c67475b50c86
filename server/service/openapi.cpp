#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <convene/server/service/api_bodies.hpp>
#include <convene/server/service/openapi.hpp>

#include <algorithm>
#include <cctype>
#include <memory>
#include <string>
#include <utility>

namespace convene::server {
namespace {

namespace json = boost::json;

json::object text_schema() {
  return {{"type", "string"}};
}

json::object reference_to(std::string_view place) {
  return {{"$ref", "#/components/" + std::string{place}}};
}

/// "getV1SessionsId" of "GET /v1/sessions/{id}".
std::string operation_id(const route& of) {
  std::string out;
  for (const char c : of.method)
    out += static_cast<char>(c - 'A' + 'a');
  bool begins_word = true;
  for (const char c : of.pattern) {
    if (c == ':') // unlike a segment of the same name
      out += "Verb";
    const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')
                           || (c >= '0' && c <= '9');
    if (is_letter)
      out += begins_word && c >= 'a' && c <= 'z'
               ? static_cast<char>(c - 'a' + 'A')
               : c;
    begins_word = !is_letter;
  }
  return out;
}

/// The members of the query or the headers that its bodies' description has.
void add_parameters(json::array& to, const json::object& bodies,
                    std::string_view member, std::string_view place) {
  const auto* const named = bodies.if_contains(member);
  if (named == nullptr)
    return;
  for (const auto& [name, schema] : named->as_object())
    to.push_back({{"name", name}, {"in", place}, {"schema", schema}});
}

json::array parameters_of(const route& of, const json::object& bodies) {
  json::array out;
  for (std::size_t at = 0; (at = of.pattern.find('{', at)) != std::string::npos;
       ++at) {
    const auto end = of.pattern.find('}', at);
    out.push_back({{"name", of.pattern.substr(at + 1, end - at - 1)},
                   {"in", "path"},
                   {"required", true},
                   {"schema", text_schema()}});
  }
  add_parameters(out, bodies, "query", "query");
  add_parameters(out, bodies, "headers", "header");
  if (of.method == "POST" && of.repeatable_by_key)
    out.push_back(reference_to("parameters/IdempotencyKey"));
  if (of.errors == error_form::a2a && !of.scope.empty()) // not the card
    out.push_back(reference_to("parameters/A2aVersion"));
  return out;
}

/// The body that it takes; null: none is described.
json::value request_of(const route& of, const json::object& bodies) {
  for (const auto* const member : {"request", "optional_request"})
    if (const auto* const schema = bodies.if_contains(member)) {
      json::object content{{"application/json", {{"schema", *schema}}}};
      if (of.errors == error_form::a2a)
        content[a2a_media_type] = content["application/json"];
      return {{"required", std::string_view{member} == "request"},
              {"content", std::move(content)}};
    }
  return {};
}

std::string_view meaning_of(std::string_view status) {
  if (status == "201")
    return "It was made; Location says where.";
  if (status == "202")
    return "It was taken, and takes effect later.";
  if (status == "204")
    return "Nothing more will come.";
  return "It was done.";
}

/// The answers that its bodies' description has: a schema by "200", or by "200
/// text/plain" if it is not JSON.
json::object answers_of(const json::object& bodies) {
  json::object out;
  const auto* const answers = bodies.if_contains("answers");
  if (answers == nullptr)
    return {{"2XX", {{"description", meaning_of({})}}}};
  for (const auto& [name, schema] : answers->as_object()) {
    const std::string_view text = name;
    const auto status = text.substr(0, text.find(' '));
    auto& one = out[status];
    if (!one.is_object())
      one = {{"description", meaning_of(status)}};
    if (schema.is_null())
      continue;
    auto& content = one.as_object()["content"];
    if (!content.is_object())
      content = json::object{};
    const auto type = status == text ? "application/json"
                                     : text.substr(status.size() + 1);
    content.as_object()[type] = {{"schema", schema}};
  }
  return out;
}

json::object response_of(std::string_view about, std::string_view schema) {
  return {{"description", about},
          {"content",
           {{schema == "A2aError" ? a2a_media_type : "application/json",
             {{"schema", reference_to("schemas/" + std::string{schema})}}}}}};
}

json::object operation_of(const route& of) {
  const auto* const error = of.errors == error_form::native    ? "Error"
                            : of.errors == error_form::openwop ? "OpenWopError"
                                                               : "A2aError";
  static const json::object nothing;
  const auto* const found = bodies_of(of);
  const auto& bodies = found == nullptr ? nothing : *found;
  auto responses = answers_of(bodies);
  responses["default"] = response_of("An error: its code says which.", error);
  json::object out{{"operationId", operation_id(of)}};
  if (const auto* const summary = bodies.if_contains("summary"))
    out["summary"] = *summary;
  else if (!of.about.empty())
    out["summary"] = of.about;
  if (auto parameters = parameters_of(of, bodies); !parameters.empty())
    out["parameters"] = std::move(parameters);
  if (auto taken = request_of(of, bodies); !taken.is_null())
    out["requestBody"] = std::move(taken);
  out["security"] = json::array{};
  if (!of.scope.empty()) {
    out["security"] = json::array{json::object{{"key", json::array{of.scope}}}};
    responses["401"] = response_of("No key, or none that is known.", error);
    responses["403"] = response_of("The key lacks the scope.", error);
  }
  out["responses"] = std::move(responses);
  return out;
}

json::object error_members() {
  return {{"message", text_schema()}, {"details", {{"type", "object"}}}};
}

/// google.rpc.Status, as A2A has it.
json::object a2a_error_schema() {
  return {{"type", "object"},
          {"required", json::array{"error"}},
          {"properties",
           {{"error",
             {{"type", "object"},
              {"required", json::array{"code", "status", "message"}},
              {"properties",
               {{"code", {{"type", "integer"}}},
                {"status", text_schema()},
                {"message", text_schema()},
                {"details", {{"type", "array"}}}}}}}}}};
}

json::object components() {
  json::object native{{"code", text_schema()}};
  json::object openwop{{"error", text_schema()}};
  for (const auto& [name, schema] : error_members()) {
    native[name] = schema;
    openwop[name] = schema;
  }
  return {
    {"securitySchemes",
     {{"key",
       {{"type", "http"},
        {"scheme", "bearer"},
        {"description", "A key of convene keys new; each operation lists the "
                        "scope that it wants."}}}}},
    {"parameters",
     {{"IdempotencyKey",
       {{"name", "Idempotency-Key"},
        {"in", "header"},
        {"description", "The same request with the same key is carried out "
                        "once, and answered again."},
        {"schema", {{"type", "string"}, {"maxLength", 255}}}}},
      {"A2aVersion",
       {{"name", "A2A-Version"},
        {"in", "header"},
        {"required", true},
        {"description", "The version of A2A that the client speaks. A query "
                        "parameter of the same name may replace it."},
        {"schema", {{"type", "string"}, {"examples", {"1.0"}}}}}}}},
    {"schemas",
     {{"Error",
       {{"type", "object"},
        {"required", json::array{"error"}},
        {"properties",
         {{"error",
           {{"type", "object"},
            {"required", json::array{"code", "message"}},
            {"properties", std::move(native)}}}}}}},
      {"OpenWopError",
       {{"type", "object"},
        {"required", json::array{"error", "message"}},
        {"properties", std::move(openwop)},
        {"additionalProperties", false}}},
      {"A2aError", a2a_error_schema()}}}};
}

/// A file of the page for people, which is no endpoint of the API.
bool is_of_page(const route& one) {
  return one.pattern == "/" || one.pattern.starts_with("/page/")
         || one.pattern.starts_with("/session/");
}

} // namespace

json::object openapi_of(const routes& endpoints, std::string_view version) {
  json::object paths;
  for (const auto& one : endpoints) {
    if (is_of_page(one))
      continue;
    auto& path = paths[one.pattern];
    if (!path.is_object())
      path = json::object{};
    std::string method;
    for (const char c : one.method)
      method += static_cast<char>(c - 'A' + 'a');
    path.as_object()[method] = operation_of(one);
  }
  auto shared = components();
  add_schemas(paths, shared["schemas"].as_object());
  return {
    {"openapi", "3.1.0"},
    {"info",
     {{"title", "convene"},
      {"summary", "Sessions of agents and people, runs of workflows, and "
                  "agents for A2A clients"},
      {"version", version},
      {"license", {{"name", "Apache 2.0"}, {"identifier", "Apache-2.0"}}}}},
    {"servers",
     json::array{
       {{"url", "/"}, {"description", "The server that has this document"}}}},
    {"paths", std::move(paths)},
    {"components", std::move(shared)}};
}

routes openapi_routes(routes endpoints, std::string_view version) {
  const auto text = std::make_shared<std::string>();
  routes out;
  for (const auto* const pattern : {"/openapi.json", "/v1/openapi.json"})
    out.push_back({.method = "GET",
                   .pattern = pattern,
                   .call = [text](const request&,
                                  const responder& to) { to({.body = *text}); },
                   .errors = std::string_view{pattern}.starts_with("/v1")
                               ? error_form::openwop
                               : error_form::native,
                   .about = "This document"});
  endpoints.insert(endpoints.end(), out.begin(), out.end());
  *text = json::serialize(openapi_of(endpoints, version));
  return out;
}

} // namespace convene::server
