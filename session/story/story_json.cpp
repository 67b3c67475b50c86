#include <convene/protocol/json/json_text.hpp>
#include <convene/session/story/story_json.hpp>

#include <algorithm>

namespace convene::session {
namespace {

json::string text(std::string_view from) {
  return json::string{protocol::sanitize_utf8(std::string{from})};
}

json::array texts(const std::vector<std::string>& from) {
  json::array all;
  for (const auto& one : from)
    all.emplace_back(text(one));
  return all;
}

json::object of_happening(const happening& one) {
  return {{"at", protocol::format_timestamp(one.at)},
          {"event", one.event},
          {"words", text(one.words)}};
}

json::object of_failure(const failure_story& one) {
  auto made = of_happening(one);
  if (one.times > 1)
    made["times"] = one.times;
  return made;
}

json::object of_conflict(const conflict_story& one) {
  return {{"at", protocol::format_timestamp(one.at)},
          {"event", one.event},
          {"conflict_id", text(one.id)},
          {"conflict_type", text(one.type)},
          {"resource", text(one.resource)},
          {"participants", texts(one.sides)},
          {"settled", one.is_settled},
          {"strategy", text(one.strategy)},
          {"winner", text(one.winner)},
          {"reason", text(one.reason)},
          {"votes", texts(one.votes)}};
}

json::object of_handoff(const handoff_story& one) {
  return {{"at", protocol::format_timestamp(one.at)},
          {"event", one.event},
          {"handoff_id", text(one.id)},
          {"from", text(one.from)},
          {"to", text(one.to)},
          {"instructions", text(one.instructions)},
          {"turn_number",
           one.turn ? json::value{*one.turn} : json::value{nullptr}}};
}

template <class List, class Make>
json::object counted(const List& list, const Make& make) {
  json::array first;
  for (const auto& one : list.first)
    first.emplace_back(make(one));
  return {{"total", list.total}, {"first", std::move(first)}};
}

json::array participants_in(const session_facts& facts) {
  json::array all;
  for (const auto& [id, who] : facts.participants) {
    json::object answers;
    for (const auto& [status, count] : who.answers)
      answers[protocol::sanitize_utf8(status)] = count;
    all.push_back({{"participant_id", text(id)},
                   {"role_id", text(who.role)},
                   {"role_name", text(who.role_name)},
                   {"kind", text(who.kind)},
                   {"behaviour", text(who.behaviour)},
                   {"asked", who.asked},
                   {"decisions", who.decisions},
                   {"votes", who.votes},
                   {"answers", std::move(answers)},
                   {"writes", who.writes},
                   {"busy_ms", who.busy_ms},
                   {"longest_ms", who.longest_ms}});
  }
  return all;
}

json::object happenings_in(const session_facts& facts) {
  json::array first;
  for (const auto& one : facts.first)
    first.emplace_back(of_happening(one));
  json::array last;
  for (const auto& one : facts.last_ones)
    last.emplace_back(of_happening(one));
  return {{"total", facts.happenings},
          {"first", std::move(first)},
          {"last", std::move(last)}};
}

json::object findings_in(const failure_rules& rules) {
  json::array first;
  for (const auto& one : rules.found())
    first.push_back({{"rule", one.rule},
                     {"mast", one.mast.empty() ? json::value{nullptr}
                                               : json::value{one.mast}},
                     {"participant_id", text(one.participant)},
                     {"event", one.event},
                     {"event_id", text(one.event_id)},
                     {"message", text(one.message)}});
  return {{"total", rules.total()}, {"first", std::move(first)}};
}

} // namespace

json::object story_json(const session_story& of) {
  const auto& facts = of.facts();
  return {{"session_id", text(facts.session_id)},
          {"title", text(facts.title)},
          {"purpose", text(facts.purpose)},
          {"mode", text(facts.mode)},
          {"policy", text(facts.policy)},
          {"has_beginning", facts.has_beginning},
          {"has_end", facts.has_end},
          {"status", text(facts.status)},
          {"stop_reason", facts.stop_reason},
          {"started_at", facts.started ? json::value{protocol::format_timestamp(
                           *facts.started)}
                                       : json::value{nullptr}},
          {"duration_ms", facts.last - facts.started.value_or(facts.last)},
          {"events", facts.events},
          {"turns", facts.turns},
          {"broadcasts", facts.broadcasts},
          {"decisions", facts.decisions},
          {"writes", facts.writes},
          {"actions", facts.actions},
          {"open_requests", of.open_requests()},
          {"usage", facts.usage},
          {"participants", participants_in(facts)},
          {"happenings", happenings_in(facts)},
          {"conflicts", counted(facts.conflicts, of_conflict)},
          {"handoffs", counted(facts.handoffs, of_handoff)},
          {"failures", counted(facts.failures, of_failure)},
          {"findings", findings_in(of.rules())}};
}

} // namespace convene::session
