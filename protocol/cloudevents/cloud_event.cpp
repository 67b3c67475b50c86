#include <convene/protocol/base/percent.hpp>
#include <convene/protocol/base/timestamp.hpp>
#include <convene/protocol/cloudevents/cloud_event.hpp>
#include <convene/protocol/json/members.hpp>

#include <array>
#include <string>

namespace convene::protocol {
namespace {

/// Where the server has a session; only characters that a URI may have there.
std::string source_of(std::string_view session_id) {
  std::string all = "/v1/sessions";
  if (!session_id.empty())
    (all += '/') += percent_encoded(session_id);
  return all;
}

/// Whom or what the event is about: a participant, else a resource, else
/// nothing.
std::string subject_of(const json::object& payload) {
  for (const auto* name : {"participant_id", "receiver_participant",
                           "broadcaster_participant", "from_participant"})
    if (const auto who = text_of(payload, name); !who.empty())
      return std::string{who};
  const auto type = text_of(payload, "resource_type");
  const auto id = text_of(payload, "resource_id");
  return type.empty() || id.empty() ? std::string{}
                                    : std::string{type} + '/' + std::string{id};
}

} // namespace

json::object cloud_event(const json::object& event,
                         std::string_view otherwise) {
  const auto type = text_of(event, "event_type");
  const auto id = text_of(event, "event_id");
  const auto at = parse_timestamp(text_of(event, "timestamp"));
  json::object made{{"specversion", "1.0"},
                    {"id", id.empty() ? otherwise : id},
                    {"source", source_of(text_of(event, "session_id"))},
                    {"type",
                     "convene." + std::string{type.empty() ? "event" : type}}};
  if (at)
    made["time"] = format_timestamp(*at);
  if (auto subject = subject_of(object_of(event, "payload")); !subject.empty())
    made["subject"] = std::move(subject);
  made["datacontenttype"] = "application/json";
  made["data"] = event;
  return made;
}

} // namespace convene::protocol
