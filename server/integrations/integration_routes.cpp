#include <boost/json/serialize.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/runtime/integrations/intake/incoming.hpp>
#include <convene/server/integrations/integration_routes.hpp>
#include <convene/server/session_api/answers.hpp>

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

void take_event(const std::shared_ptr<outside_log>& log,
                const std::shared_ptr<event_feed>& threads, const request& from,
                const responder& to) {
  auto body = object_of_body(from, outside_event_bytes_max);
  if (!body)
    return to(refusal(body.error(), from));
  const auto source = from.parameters.find("source");
  auto event = event_of(*std::move(body), source == from.parameters.end()
                                            ? std::string{}
                                            : source->second);
  if (!event)
    return to(
      refusal(422, "event_invalid", event.error().message,
              {{"errors", json::array{validation_error(event.error())}}}));
  auto what = std::make_shared<host::incoming>(*std::move(event));
  const bool begun = threads->run([log, what, to,
                                   from
                                   = std::make_shared<const request>(from)] {
    const std::string id{protocol::text_of(what->event, "event_id")};
    const auto verdict = log->take(std::move(*what), time_now());
    if (!verdict)
      return to(refusal(verdict.error(), *from));
    to(json_response(200, {{"event_id", id}, {"status", word_for(*verdict)}}));
  });
  if (!begun)
    to(overloaded());
}

} // namespace

routes integration_routes(std::shared_ptr<outside_log> log,
                          std::shared_ptr<event_feed> threads) {
  return {
    {.method = "POST",
     .pattern = "/v1/integrations/{source}",
     .scope = "webhooks:manage",
     .call = [log = std::move(log), threads = std::move(threads)](
               const request& from,
               const responder& to) { take_event(log, threads, from, to); },
     .about = "An event of CI, a tool or Git"}};
}

} // namespace convene::server
