#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/runtime/log/event_log/event_filter.hpp>
#include <convene/runtime/log/event_log/event_session.hpp>

#include <algorithm>

namespace convene::host {
namespace {

using namespace convene::protocol;

bool contains(const std::vector<std::string>& words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

/// Whether it says who did or suffers something: `participant_id`,
/// `from_participant`, `losing_participants` and the like.
bool names_participants(std::string_view member) {
  return member == "participant_id" || member.ends_with("participant")
         || member.ends_with("participants");
}

bool names_one_of(const json::object& payload,
                  const std::vector<std::string>& wanted) {
  for (const auto& [name, value] : payload) {
    if (const auto* one = value.if_string()) {
      if (names_participants(name) && contains(wanted, *one))
        return true;
    } else if (const auto* list = value.if_array()) {
      for (const auto& item : *list)
        if (names_participants(name) && item.is_string()
              ? contains(wanted, item.get_string())
              : name == "assignments" && item.is_object()
                  && contains(wanted,
                              text_of(item.get_object(), "participant_id")))
          return true;
    }
  }
  return contains(wanted,
                  text_of(object_of(payload, "details"), "participant_id"));
}

} // namespace

bool event_filter::matches(std::string_view line) const {
  if (session && session_of(line) != *session)
    return false;
  if (types.empty() && families.empty() && participants.empty() && !from && !to
      && !first_turn && !last_turn)
    return true;
  const auto event = parse_json(line);
  return event && event->is_object() && matches(event->get_object());
}

bool event_filter::matches(const json::object& event) const {
  if (!types.empty() && !contains(types, text_of(event, "event_type")))
    return false;
  if (!families.empty() && !contains(families, text_of(event, "event_family")))
    return false;
  if (from || to) {
    const auto time = parse_timestamp(text_of(event, "timestamp"));
    if (!time || (from && *time < *from) || (to && *time > *to))
      return false;
  }
  const auto& payload = object_of(event, "payload");
  if (first_turn || last_turn) {
    const auto turn = integer_of(payload, "turn_number");
    if (!turn || (first_turn && *turn < *first_turn)
        || (last_turn && *turn > *last_turn))
      return false;
  }
  return participants.empty() || names_one_of(payload, participants);
}

} // namespace convene::host
