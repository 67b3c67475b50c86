#include <boost/json/serialize.hpp>
#include <convene/integrations/intake/incoming.hpp>
#include <convene/integrations/webhooks/github_events.hpp>
#include <convene/integrations/webhooks/integration_routes.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/runtime/blocking_pool/blocking_pool.hpp>
#include <convene/server/session_api/answers.hpp>

#include <charconv>
#include <chrono>
#include <string>
#include <utility>

namespace convene::server {
namespace {

namespace json = boost::json;

constexpr std::size_t outside_event_bytes_max = std::size_t{1} << 20;

protocol::timestamp_ms time_now() {
  using namespace std::chrono;
  return duration_cast<milliseconds>(system_clock::now().time_since_epoch())
    .count();
}

/// The event of a request, with what its envelope lacks. An event of
/// `convene watch` begins with its id.
protocol::result<host::incoming> event_of(json::object body,
                                          const std::string& source) {
  const auto stated = body.if_contains("source");
  if (stated != nullptr && *stated != json::value(source))
    return protocol::fail({.code = protocol::errc::invalid_document,
                           .message = "is another source than the path names: "
                                      "leave it out",
                           .pointer = "/source",
                           .rule = "source"});
  static thread_local auto ids = protocol::uuid_source::from_entropy();
  json::object event;
  event["event_id"] = to_string(ids.next());
  event["event_family"] = "external_integration";
  event["timestamp"] = protocol::format_timestamp(time_now());
  event["source"] = source;
  for (auto& each : body)
    event[each.key()] = std::move(each.value());
  return host::read_incoming(event);
}

std::string_view word_for(host::intake_verdict verdict) {
  switch (verdict) {
    case host::intake_verdict::duplicate:
      return "duplicate";
    case host::intake_verdict::outdated:
      return "outdated";
    default:
      return "written";
  }
}

std::string source_of(const request& from) {
  const auto source = from.parameters.find("source");
  return source == from.parameters.end() ? std::string{} : source->second;
}

/// Where events are written, and the thread that may wait for the disk.
struct event_intake {
  explicit event_intake(std::shared_ptr<outside_log> into)
    : log{std::move(into)} {}

  const std::shared_ptr<outside_log> log;
  // The log takes one event at a time.
  host::blocking_pool thread{{.threads = 1, .grace = std::chrono::minutes{10}}};
};

using shared_intake = std::shared_ptr<event_intake>;

void write_event(const shared_intake& into, json::object body,
                 const request& from, const responder& to) {
  auto event = event_of(std::move(body), source_of(from));
  if (!event)
    return to(
      refusal(422, "event_invalid", event.error().message,
              {{"errors", json::array{validation_error(event.error())}}}));
  auto what = std::make_shared<host::incoming>(*std::move(event));
  const auto begun = into->thread.try_submit([log = into->log, what, to,
                                              from
                                              = std::make_shared<const request>(
                                                from)] {
    const std::string id{protocol::text_of(what->event, "event_id")};
    const auto verdict = log->take(std::move(*what), time_now());
    if (!verdict)
      return to(refusal(verdict.error(), *from));
    to(json_response(200, {{"event_id", id}, {"status", word_for(*verdict)}}));
  });
  if (begun == 0)
    to(overloaded());
}

void take_event(const shared_intake& into, const request& from,
                const responder& to) {
  auto body = object_of_body(from, outside_event_bytes_max);
  if (!body)
    return to(refusal(body.error(), from));
  write_event(into, *std::move(body), from, to);
}

/// How old a signature with a time may be.
constexpr std::int64_t signed_seconds_max = 300;

/// Whether the source has signed the body: as GitHub does, or as convene does
/// to services (docs/agents/http.md).
bool is_signed(const webhook_secrets& by, const request& from) {
  const auto source = source_of(from);
  if (const auto given = from.header("x-hub-signature-256"); !given.empty())
    return by.is_signed(source, from.body, given);
  const auto time = from.header("x-convene-timestamp");
  std::int64_t seconds = 0;
  const auto* const end = time.data() + time.size();
  const auto read = std::from_chars(time.data(), end, seconds);
  const auto now = time_now() / 1'000;
  const bool is_fresh = read.ec == std::errc{} && read.ptr == end
                        && seconds >= now - signed_seconds_max
                        && seconds <= now + signed_seconds_max;
  return by.is_signed(source, std::string{time} + "." + from.body,
                      from.header("x-convene-signature"))
         && is_fresh;
}

void take_webhook(const webhook_secrets& secrets, const shared_intake& into,
                  const request& from, const responder& to) {
  if (!is_signed(secrets, from))
    return to(refusal(401, "signature_invalid",
                      "no source of this name has signed this body, or not "
                      "within five minutes"));
  auto body = object_of_body(from, outside_event_bytes_max);
  if (!body)
    return to(refusal(body.error(), from));
  const auto event = from.header("x-github-event");
  if (event.empty())
    return write_event(into, *std::move(body), from, to);
  auto told = from_github(event, *body);
  if (!told) // or else the service would take it for a failure
    return to(json_response(200, {{"status", "ignored"}}));
  write_event(into, *std::move(told), from, to);
}

} // namespace

routes integration_routes(std::shared_ptr<outside_log> log,
                          std::optional<webhook_secrets> secrets) {
  const auto into = std::make_shared<event_intake>(std::move(log));
  routes all{
    {.method = "POST",
     .pattern = "/v1/integrations/{source}",
     .scope = "webhooks:manage",
     .call = [into](const request& from,
                    const responder& to) { take_event(into, from, to); },
     .body_bytes_max = outside_event_bytes_max,
     .about = "An event of CI, a tool or Git"}};
  if (secrets)
    // Anybody may send one until its signature is looked at.
    all.push_back({.method = "POST",
                   .pattern = "/v1/webhooks/{source}",
                   .scope = "",
                   .call =
                     [into, secrets = *std::move(secrets)](
                       const request& from, const responder& to) {
                       take_webhook(secrets, into, from, to);
                     },
                   .repeatable_by_key = false,
                   .body_bytes_max = outside_event_bytes_max,
                   .about = "An event that its source has signed"});
  return all;
}

} // namespace convene::server
