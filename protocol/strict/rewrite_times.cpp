#include <convene/protocol/codec/object_reader.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/protocol/strict/rewriting.hpp>
#include <convene/protocol/strict/shape.hpp>
#include <convene/protocol/text/format.hpp>

#include <string>
#include <utility>

namespace convene::protocol {
namespace {

constexpr std::size_t date_bytes = 10;  // 2025-12-07
constexpr std::size_t seconds_end = 19; // and T12:00:00
constexpr std::size_t time_bytes_max = 64;

/// Empty: it is fine as it is, or no time at all.
std::string respelled(std::string_view text) {
  if (text.size() < seconds_end || text.size() > time_bytes_max
      || validation::is_rfc3339_date_time(text))
    return {};
  std::string time{text};
  if (time[date_bytes] == ' ')
    time[date_bytes] = 'T';
  const auto zone = time.find_first_of("+-Zz", seconds_end);
  if (zone == time.npos)
    time += 'Z';
  else if (time.size() - zone == 3) // +08
    time += ":00";
  else if (time.size() - zone == 5) // +0800
    time.insert(zone + 3, 1, ':');
  return validation::is_rfc3339_date_time(time) ? time : std::string{};
}

void respell(json::value& what, const shape& how, const place& at,
             reading_notes& notes) {
  if (auto* text = what.if_string()) {
    if (how.what != shape::kind::time)
      return;
    if (const auto time = respelled(std::string_view{*text}); !time.empty()) {
      notes.add({to_pointer(at), "word",
                 quote(std::string_view{*text}) + " taken as " + time});
      text->assign(time);
    }
  } else if (auto* array = what.if_array()) {
    if (how.items != nullptr)
      for (std::size_t i = 0; i < array->size(); ++i)
        respell((*array)[i], *how.items, {.parent = &at, .index = i}, notes);
  } else if (auto* members = what.if_object()) {
    for (auto& member : *members)
      if (const auto* next = how.member(member.key()))
        respell(member.value(), *next, {.parent = &at, .name = member.key()},
                notes);
  }
}

} // namespace

void rewrite_times(json::value& what, std::string_view schema,
                   reading_notes& notes) {
  if (const auto* how = official_shape(schema))
    respell(what, *how, place{}, notes);
}

} // namespace convene::protocol
