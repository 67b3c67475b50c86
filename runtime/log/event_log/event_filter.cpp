#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/runtime/log/event_log/event_filter.hpp>
#include <convene/runtime/log/event_log/event_session.hpp>
#include <convene/runtime/log/event_log/line_search.hpp>

#include <algorithm>
#include <charconv>

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

bool is_in_time(const event_filter& filter, std::string_view timestamp) {
  const auto time = parse_timestamp(timestamp);
  return time && (!filter.from || *time >= *filter.from)
         && (!filter.to || *time <= *filter.to);
}

bool is_in_turns(const event_filter& filter, std::int64_t turn) {
  return (!filter.first_turn || turn >= *filter.first_turn)
         && (!filter.last_turn || turn <= *filter.last_turn);
}

/// Whether a value that is not parsed may be a turn of the filter.
bool may_be_turn(std::string_view value, const event_filter& filter) {
  std::int64_t number = 0;
  const auto* const stop = value.data() + value.size();
  const auto [end, failed] = std::from_chars(value.data(), stop, number);
  if (failed != std::errc{} || end == stop || *end == '.' || *end == 'e'
      || *end == 'E')
    return true; // to be read with more care
  return is_in_turns(filter, number);
}

/// Whether the filter may select the line, by its bytes. False is certain.
bool may_match(const event_filter& filter, std::string_view line) {
  // A member that is missing is like an empty text.
  const auto has_one_of = [line](std::string_view name,
                                 const std::vector<std::string>& words) {
    return words.empty() || contains(words, {})
           || any_member(line, name, [&words](std::string_view value) {
                const auto text = plain_text(value);
                return !text || contains(words, *text);
              });
  };
  const auto in_time = [&filter](std::string_view value) {
    const auto text = plain_text(value);
    return !text || is_in_time(filter, *text);
  };
  const auto in_turns = [&filter](std::string_view value) {
    return may_be_turn(value, filter);
  };
  return (has_one_of("event_type", filter.types)
          && has_one_of("event_family", filter.families)
          && ((!filter.from && !filter.to)
              || any_member(line, "timestamp", in_time))
          && ((!filter.first_turn && !filter.last_turn)
              || any_member(line, "turn_number", in_turns)))
         || may_hide_names(line);
}

} // namespace

bool event_filter::matches(std::string_view line) const {
  if (session && session_of(line) != *session)
    return false;
  if (types.empty() && families.empty() && participants.empty() && !from && !to
      && !first_turn && !last_turn)
    return true;
  // Most lines are ruled out by their bytes; only the others are parsed.
  if (!may_match(*this, line)
      || (!participants.empty()
          && std::ranges::none_of(participants, [line](const auto& id) {
               return may_have_string(line, id);
             })))
    return false;
  const auto event = parse_json(line);
  return event && event->is_object() && matches(event->get_object());
}

bool event_filter::matches(const json::object& event) const {
  if (!types.empty() && !contains(types, text_of(event, "event_type")))
    return false;
  if (!families.empty() && !contains(families, text_of(event, "event_family")))
    return false;
  if ((from || to) && !is_in_time(*this, text_of(event, "timestamp")))
    return false;
  const auto& payload = object_of(event, "payload");
  if (first_turn || last_turn) {
    const auto turn = integer_of(payload, "turn_number");
    if (!turn || !is_in_turns(*this, *turn))
      return false;
  }
  return participants.empty() || names_one_of(payload, participants);
}

} // namespace convene::host
