#include <convene/protocol/base/sha256.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/protocol/strict/twin.hpp>

#include <utility>

namespace convene::protocol {

namespace json = boost::json;

json::object make_twin(const json::object& event, std::string_view type,
                       std::string_view family, const json::object& members,
                       json::object payload, std::string_view key) {
  const auto id = text_of(event, "event_id");
  json::object native{{"twin_of", id}};
  if (const auto* kept = object_of(object_of(event, "payload"), "native")
                           .if_contains("event_family"))
    native.emplace("event_family", *kept);
  payload.emplace("native", std::move(native));
  auto name = "twin\n" + std::string{id} + '\n' + std::string{type};
  if (!key.empty())
    name += '\n' + std::string{key};
  json::object twin({{"event_id", to_string(hashed_uuid(name))},
                     {"event_type", type},
                     {"event_family", family},
                     {"timestamp", event.at("timestamp")},
                     {"session_id", event.at("session_id")}},
                    event.storage());
  for (const auto& member : members)
    twin.emplace(member.key(), member.value());
  twin.emplace("payload", std::move(payload));
  return twin;
}

} // namespace convene::protocol
