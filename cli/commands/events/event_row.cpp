#include <convene/cli/commands/events/event_row.hpp>
#include <convene/cli/view/text.hpp>
#include <convene/protocol/base/uuid.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/members.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>

namespace convene::cli {
namespace {

using namespace convene::protocol;

/// The first of these members that has a text.
std::string_view first_text(const json::object& from,
                            std::initializer_list<std::string_view> names) {
  for (const auto name : names)
    if (const auto text = text_of(from, name); !text.empty())
      return text;
  return {};
}

std::string_view who_of(const json::object& payload) {
  const auto who = first_text(payload,
                              {"participant_id", "broadcaster_participant",
                               "receiver_participant", "from_participant",
                               "winning_participant"});
  return who.empty() ? text_of(object_of(payload, "details"), "participant_id")
                     : who;
}

void add(std::string& words, std::string_view more) {
  if (!more.empty())
    words.append(words.empty() ? "" : ": ").append(more);
}

/// Tokens and money, by the names of their members.
std::string spent_in(const json::object& from, std::string_view tokens,
                     std::string_view usd) {
  const auto* money = from.if_contains(usd);
  constexpr double micro = 1e6;
  return spent(integer_of(from, tokens).value_or(0),
               money != nullptr && money->is_number() ? std::llround(
                 std::clamp(money->to_number<double>(), 0.0, 1e9) * micro)
                                                      : 0);
}

/// Of an event of the family cost_budget: what an action used, what that makes
/// in total and what is left; or which budget it used up.
std::string cost_words(const json::object& payload) {
  std::string words{text_of(payload, "model")};
  words.append(words.empty() ? "" : " ").append(text_of(payload, "position"));
  if (const auto budget = text_of(payload, "budget"); !budget.empty()) {
    add(words, fmt::format("{} used up: {} of {}", budget,
                           integer_of(payload, "used").value_or(0),
                           integer_of(payload, "limit").value_or(0)));
    return words;
  }
  add(words, spent_in(payload, "tokens_used", "cost_usd"));
  words += "; " + spent_in(payload, "cumulative_tokens", "cumulative_cost_usd")
           + " in total";
  const auto& left = object_of(payload, "budget_remaining");
  for (const auto& [name, value] : left)
    if (value.is_number() && value.to_number<double>() <= 0)
      words.append("; no ").append(name).append(" left");
  if (const auto more = spent_in(left, "tokens", "cost_usd"); !more.empty())
    words += "; " + more + " left";
  return words;
}

/// What it says in short: about which resource, how it went, and the words
/// that somebody would look for first.
std::string words_of(const json::object& event, const json::object& payload) {
  std::string words{text_of(payload, "resource_type")};
  auto name = text_of(event, "stage_name");
  if (name.empty() && !parse_uuid(text_of(payload, "resource_id")))
    name = text_of(payload, "resource_id");
  if (!name.empty())
    words.append(" ").append(name);
  if (text_of(event, "event_family") == "cost_budget")
    return cost_words(payload);
  if (const auto action = text_of(payload, "position"); !action.empty()) {
    add(words, fmt::format("{} {}", text_of(payload, "name"), action));
    add(words, text_of(object_of(payload, "result"), "status"));
    add(words,
        text_of(object_of(object_of(payload, "result"), "error"), "message"));
    return words;
  }
  add(words, first_text(payload, {"to_status", "status", "conflict_type",
                                  "resolution_strategy", "input"}));
  for (const auto said :
       {text_of(object_of(payload, "error"), "message"),
        text_of(payload, "refused"),
        text_of(object_of(payload, "reply"), "content"),
        text_of(object_of(payload, "message"), "task"),
        text_of(object_of(payload, "stop_reason"), "condition"),
        first_text(payload, {"task", "instructions", "reason", "title"})})
    if (!said.empty()) {
      add(words, said);
      break;
    }
  return words;
}

} // namespace

std::string event_row(std::string_view event, const timeline_style& style) {
  constexpr std::size_t turn_columns = 5;
  constexpr std::size_t who_columns = 12;
  constexpr std::size_t type_columns = 20;
  constexpr std::size_t date_columns = 11; // "2026-01-31T"
  constexpr std::size_t zone_columns = 1;
  const auto value = parse_json(event);
  if (!value || !value->is_object())
    return fit(fmt::format("no JSON object: {}", event), style.columns) + '\n';
  const auto& object = value->get_object();
  const auto& payload = object_of(object, "payload");
  auto time = text_of(object, "timestamp");
  auto session = text_of(object, "session_id");
  if (!style.verbose && parse_timestamp(time) && time.size() == 24)
    time = time.substr(date_columns, 24 - date_columns - zone_columns);
  if (!style.verbose)
    session = session.substr(0, 8);
  const auto turn = integer_of(payload, "turn_number");
  const auto place = fmt::format("{} {}", column(time, style.verbose ? 24 : 12),
                                 column(session, style.verbose ? 36 : 8));
  auto rest
    = fmt::format(" {} {} {} ",
                  column(turn ? fmt::format("#{}", *turn) : "", turn_columns),
                  column(who_of(payload), who_columns),
                  column(text_of(object, "event_type"), type_columns));
  const auto before = width(place) + width(rest);
  rest += fit(words_of(object, payload),
              style.columns > before ? style.columns - before : 0);
  rest.erase(rest.find_last_not_of(' ') + 1);
  return (style.colour ? fmt::format("\x1b[2m{}\x1b[0m", place) : place) + rest
         + '\n';
}

} // namespace convene::cli
