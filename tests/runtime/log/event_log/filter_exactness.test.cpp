#include <catch2/catch.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/runtime/log/event_log/event_filter.hpp>
#include <fmt/format.h>
#include <support/dice.hpp>

#include <string>
#include <vector>

using convene::host::event_filter;
using convene::protocol::parse_json;
using convene::protocol::parse_timestamp;
using convene::test::dice;

namespace {

/// Texts that events have and filters ask for.
const std::vector<std::string> words{
  "ana", "an",    "agent-3", "MAPTurnCompleted", "RuntimeExecutionEvent",
  "a/b", "a\"b",  "a\\b",    "zo\u00eb",         "turn_number",
  "",    "tab\t", "x"};

const std::vector<std::string> times{"2026-01-31T12:00:00.500Z",
                                     "2026-01-31T12:00:00.501Z",
                                     "2026-01-31T13:00:00.500+01:00",
                                     "2026-02-01T00:00:00Z", "no time"};

/// JSON with the same meaning for each spelling that the dice choose.
class random_event {
public:
  explicit random_event(dice& d) : d_{d}, escapes_{d.below(3) * 10} {
    // nop
  }

  std::string text() {
    std::string members;
    add(members, "event_id", string("e"));
    for (const auto* name : {"event_type", "event_family"})
      if (d_.chance(90))
        add(members, name, text_or_other());
    if (d_.chance(90))
      add(members, "timestamp", string(d_.one_of(times)));
    add(members, "payload", d_.chance(95) ? payload(1) : number());
    if (d_.chance(10))
      add(members, "timestamp", string(d_.one_of(times))); // maybe twice
    auto all = '{' + space() + members + space() + '}';
    if (d_.chance(3))
      all.pop_back(); // no JSON
    return all;
  }

private:
  std::string space() {
    const std::vector<std::string> spaces{"", "", "", " ", "\t", "  "};
    return d_.one_of(spaces);
  }

  std::string string(const std::string& text) {
    std::string all{'"'};
    for (const char c : text) {
      const auto byte = static_cast<unsigned char>(c);
      if (byte < 0x80 && (byte < 0x20 || d_.chance(escapes_)))
        all += d_.chance(50) ? fmt::format("\\u{:04x}", byte)
                             : fmt::format("\\u{:04X}", byte);
      else if (c == '"' || c == '\\' || (c == '/' && d_.chance(50)))
        all += fmt::format("\\{}", c);
      else
        all += c;
    }
    return all + '"';
  }

  std::string number() {
    const std::vector<std::string> numbers{"7",
                                           "7.0",
                                           "7e0",
                                           "0",
                                           "-0",
                                           "70",
                                           "8",
                                           "-7",
                                           "\"7\"",
                                           "null",
                                           "[7]",
                                           "{}",
                                           "18446744073709551615",
                                           "9223372036854775807"};
    return d_.one_of(numbers);
  }

  std::string text_or_other() {
    return d_.chance(90) ? string(d_.one_of(words)) : number();
  }

  void add(std::string& to, const std::string& name, const std::string& value) {
    if (!to.empty())
      to += space() + ',' + space();
    to += string(name) + space() + ':' + space() + value;
  }

  std::string payload(int depth) {
    const std::vector<std::string> names{
      "participant_id", "to_participant", "losing_participants",
      "assignments",    "task",           "event_type"};
    std::string members;
    if (d_.chance(70))
      add(members, "turn_number", number());
    for (auto left = d_.below(4); left != 0; --left)
      add(members, d_.one_of(names),
          d_.chance(50) ? text_or_other()
                        : '[' + text_or_other() + ','
                            + (depth > 0 ? payload(0) : "1") + ']');
    if (depth > 0 && d_.chance(40))
      add(members, d_.chance(50) ? "details" : "reply", payload(0));
    return '{' + members + '}';
  }

  dice& d_;
  unsigned escapes_;
};

event_filter random_filter(dice& d) {
  event_filter made;
  const auto some = [&d] {
    std::vector<std::string> all{d.one_of(words)};
    if (d.chance(30))
      all.push_back(d.one_of(words));
    return all;
  };
  if (d.chance(25))
    made.types = some();
  if (d.chance(25))
    made.families = some();
  if (d.chance(35))
    made.participants = some();
  if (d.chance(20))
    made.from = parse_timestamp(times[d.below(4)]);
  if (d.chance(20))
    made.to = parse_timestamp(times[d.below(4)]);
  if (d.chance(30))
    made.first_turn = d.below(9);
  if (d.chance(30))
    made.last_turn = d.below(9);
  return made;
}

} // namespace

TEST_CASE(
  "a filter selects lines as it does the events that are parsed from them") {
  std::size_t selected = 0;
  for (std::uint32_t seed = 1; seed <= 40'000; ++seed) {
    dice d{seed};
    const auto line = random_event{d}.text();
    const auto filter = random_filter(d);
    INFO("seed " << seed << ": " << line);
    const auto event = parse_json(line);
    const bool is_empty = filter.types.empty() && filter.families.empty()
                          && filter.participants.empty() && !filter.from
                          && !filter.to && !filter.first_turn
                          && !filter.last_turn;
    const bool expected = is_empty
                          || (event && event->is_object()
                              && filter.matches(event->get_object()));
    REQUIRE(filter.matches(line) == expected);
    selected += !is_empty && expected ? 1U : 0U;
  }
  CHECK(selected > 2'000);
}
