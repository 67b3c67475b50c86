#include <convene/protocol/boundary/wording.hpp>
#include <convene/protocol/embedded_schemas/registry.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/protocol/json_schema/validate.hpp>
#include <convene/runtime/data/scenario/locate.hpp>
#include <convene/server/session_api/answers.hpp>
#include <convene/server/session_api/repeated_create.hpp>
#include <convene/server/session_api/session_routes.hpp>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

namespace convene::server {
namespace {

using protocol::errc;
namespace json = boost::json;

constexpr std::size_t scenario_bytes_max = std::size_t{16} << 20;

/// A bound of the server, not of the scenario.
bool is_of_server(std::string_view rule) {
  return rule == "sessions_max" || rule == "drafts_max"
         || rule == "sessions_bytes_max" || rule.starts_with("key_sessions_");
}

bool is_callers_fault(const protocol::error& why) {
  return why.code == errc::invalid_document || why.code == errc::usage
         || why.code == errc::activation_refused
         || why.code == errc::unsupported || why.rule == "permission_needed"
         || (why.code == errc::limit_reached && !is_of_server(why.rule));
}

/// What is wrong with a scenario: everything that its schema says, after what
/// stopped it.
response invalid_scenario(const protocol::error& why, const std::string& body) {
  const auto placed = [&body](protocol::error what) {
    const auto at = host::locate(body, "/scenario" + what.pointer);
    what.line = at.line;
    what.column = at.column;
    return what;
  };
  json::array errors{validation_error(placed(why))};
  const auto schema = protocol::embedded_schema("convene-scenario");
  const auto value = protocol::parse_json(body);
  if (schema && value)
    for (const auto& each : validate(*schema, value->at("scenario")).violations)
      if (each.instance_pointer != why.pointer || each.keyword != why.rule)
        errors.push_back(validation_error(
          placed({.message = protocol::boundary::message_of(each),
                  .pointer = each.instance_pointer,
                  .rule = each.keyword}),
          each.schema_pointer));
  return refusal(422, "scenario_invalid", why.message,
                 {{"schema", "convene-scenario"},
                  {"errors", std::move(errors)}});
}

/// What is wrong with its tags: those of A2A say which message it was that
/// started a session.
std::optional<protocol::error> reserved_tag(const json::object& scenario) {
  const auto& meta
    = protocol::object_of(protocol::object_of(scenario, "collab"), "meta");
  const auto* tags = meta.if_contains("tags");
  if (tags == nullptr || !tags->is_array())
    return std::nullopt;
  std::size_t at = 0;
  for (const auto& each : tags->get_array()) {
    if (each.is_string() && each.get_string().starts_with("a2a."))
      return protocol::error{
        .code = errc::invalid_document,
        .message = "tags that begin with `a2a.` are the server's own",
        .pointer = "/collab/meta/tags/" + std::to_string(at),
        .rule = "tag_reserved"};
    ++at;
  }
  return std::nullopt;
}

void create(session_host& host, const request& from, const responder& to) {
  if (!from.by.session_id.empty())
    return to(refusal(403, "forbidden", "this key answers for one person"));
  auto body = object_of_body(from, scenario_bytes_max);
  if (!body)
    return to(refusal(body.error(), from));
  for (const auto& [name, value] : *body)
    if (name != "scenario" && name != "start")
      return to(refusal(400, "member_unknown",
                        "the body has `scenario` and `start`, and nothing else",
                        {{"instance", '/' + std::string{name}}}));
  auto* scenario = body->if_contains("scenario");
  if (scenario == nullptr || !scenario->is_object())
    return to(refusal(400, "scenario_missing",
                      "the body must have a member `scenario`, an object"));
  const auto* start = body->if_contains("start");
  if (start != nullptr && !start->is_bool())
    return to(refusal(400, "start_invalid",
                      "`start` is true, or false to have the session started "
                      "by its `resume`",
                      {{"instance", "/start"}}));
  if (const auto wrong = reserved_tag(scenario->get_object()))
    return to(invalid_scenario(*wrong, from.body));
  const bool starts = start == nullptr || start->get_bool();
  if (auto again = repeated_create(host, from, scenario->get_object()))
    return to(*std::move(again));
  auto text = std::make_shared<const request>(from);
  auto then = [to, text](protocol::result<session_row> made) {
    if (!made)
      return to(is_callers_fault(made.error())
                  ? invalid_scenario(made.error(), text->body)
                  : refusal(made.error(), *text));
    auto answer = json_response(201, {{"session_id", made->session_id},
                                      {"status", made->status}});
    answer.headers.emplace_back("Location", "/v1/sessions/" + made->session_id);
    to(std::move(answer));
  };
  const bool begun
    = starts
        ? host.create(scenario->get_object(), std::move(then), from.by.key_id)
        : host.create_draft(scenario->get_object(), std::move(then));
  if (!begun)
    return to(overloaded());
  to.after(durable_limit, start_not_durable);
}

} // namespace

routes create_routes(session_host& host) {
  return {{.method = "POST",
           .pattern = "/v1/sessions",
           .scope = "runs:create",
           .call = [&host](const request& from, const responder& to) {
             create(host, from, to);
           }}};
}

} // namespace convene::server
