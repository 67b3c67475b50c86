#include <boost/json/serialize.hpp>
#include <convene/integrations/event_stream/stream_message.hpp>
#include <convene/protocol/cloudevents/cloud_event.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/members.hpp>

#include <algorithm>

namespace convene::host {

using namespace protocol;

namespace {

constexpr std::size_t id_bytes_max = 128;

/// Whether the text is a token of a subject and a value of a header.
bool is_plain(std::string_view text) {
  return !text.empty() && text.size() <= id_bytes_max
         && std::ranges::all_of(text, [](char c) {
              return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')
                     || (c >= '0' && c <= '9') || c == '-' || c == '_';
            });
}

/// The event's place on a server, instead of the event.
void shorten_event(json::object& event, const stream_message& of) {
  event.erase("data");
  event.erase("datacontenttype");
  event["dataref"] = "/v1/sessions/" + of.session_id + "/events?after="
                     + std::to_string(of.place - 1) + "&limit=1";
}

} // namespace

stream_message message_of(std::string_view stream, std::string_view session_id,
                          std::uint64_t place, std::string_view line,
                          std::size_t body_bytes_max) {
  stream_message made{.session_id = std::string{session_id}, .place = place};
  const auto read = parse_json(line);
  const auto* event = read ? read->if_object() : nullptr;
  const auto number = std::to_string(place);
  json::object cloud
    = cloud_event(event != nullptr
                    ? *event
                    : json::object{{"event_id", made.session_id + '-' + number},
                                   {"session_id", session_id}},
                  made.session_id + '-' + number);
  const auto type = event != nullptr ? text_of(*event, "event_type") : "";
  made.is_last = type == "MAPSessionCompleted";
  const auto id = text_of(cloud, "id");
  made.id = is_plain(id) ? std::string{id} : made.session_id + '-' + number;
  made.subject = std::string{stream} + '.'
                 + (is_plain(type) ? std::string{type} : "event") + '.'
                 + made.session_id;
  if (event != nullptr)
    made.body = json::serialize(cloud);
  if (event == nullptr || made.body.size() > body_bytes_max) {
    shorten_event(cloud, made);
    made.body = json::serialize(cloud);
    made.is_shortened = true;
  }
  return made;
}

} // namespace convene::host
