#include <boost/json/serialize.hpp>
#include <convene/protocol/json/json_digest.hpp>
#include <convene/runtime/outside/participants/request_json.hpp>

#include <array>
#include <string_view>
#include <utility>

namespace convene::host {
namespace {

namespace json = protocol::json;

using actors::turn_request;

std::string_view word_for(session::request_kind kind) {
  static constexpr std::array<std::string_view, 5> words{"turn", "broadcast",
                                                         "decision", "vote",
                                                         "escalation"};
  return words[static_cast<std::size_t>(kind)];
}

/// Adds a member unless it is empty or 0.
void add_some(json::object& to, std::string_view name,
              const std::string& what) {
  if (!what.empty())
    to.emplace(name, what);
}

void add_some(json::object& to, std::string_view name, std::uint32_t what) {
  if (what != 0)
    to.emplace(name, what);
}

template <class List, class Made>
json::array list_of(const List& from, Made make) {
  json::array all;
  all.reserve(from.size());
  for (const auto& each : from)
    all.push_back(make(each));
  return all;
}

json::object participant_in(const turn_request& asked) {
  json::object made{{"participant_id", asked.participant},
                    {"role_id", asked.role}};
  add_some(made, "role_name", asked.role_name);
  return made;
}

json::object resource_in(const session::resource& from) {
  json::object made{{"resource_type", from.key->type},
                    {"resource_id", from.key->id},
                    {"version", from.version}};
  if (from.deleted)
    made.emplace("deleted", true);
  else
    made.emplace("value", from.value);
  return made;
}

json::array answers_in(const std::vector<actors::answer_of_other>& from) {
  return list_of(from, [](const actors::answer_of_other& each) {
    return json::object{{"participant", each.participant},
                        {"status", each.status},
                        {"content", each.content}};
  });
}

json::object closed_in(std::string_view participant, std::string_view status,
                       const std::string& step_id, std::string_view content) {
  json::object made{{"participant", participant},
                    {"status", status},
                    {"content", content}};
  add_some(made, "step_id", step_id);
  return made;
}

json::object missed_in(const session::missed_quorum& from) {
  return {{"answered", from.answered}, {"needed", from.needed}};
}

json::object decide_in(const actors::decision_request& from) {
  json::object made{
    {"participants",
     list_of(from.participants,
             [](const actors::candidate& each) {
               return json::object{{"participant_id", each.participant},
                                   {"role_id", each.role},
                                   {"kind", protocol::to_word(each.kind)}};
             })},
    {"ready", list_of(from.ready,
                      [](const actors::open_step& each) {
                        json::object step{{"step_id", each.step_id},
                                          {"description", each.description},
                                          {"agent_role", each.agent_role},
                                          {"attempts", each.attempts}};
                        add_some(step, "assigned", each.assigned);
                        return step;
                      })},
    {"steps_total", from.steps_total},
    {"steps_open", from.steps_open},
    {"steps_failed", from.steps_failed},
    {"outstanding", from.outstanding}};
  if (!from.last_participant.empty())
    made.emplace("last", closed_in(from.last_participant, from.last_status,
                                   from.last_step_id, from.last_content));
  if (!from.also_closed.empty())
    made.emplace("also_closed",
                 list_of(from.also_closed, [](const actors::closed_turn& each) {
                   return closed_in(each.participant, each.status, each.step_id,
                                    each.content);
                 }));
  add_some(made, "refused", from.refused);
  if (!from.responses.empty())
    made.emplace("responses", answers_in(from.responses));
  if (from.missed.needed != 0)
    made.emplace("missed_quorum", missed_in(from.missed));
  return made;
}

json::object dispute_in(const actors::dispute& from) {
  return {{"conflict_id", from.conflict_id},
          {"resource_type", from.resource_type},
          {"resource_id", from.resource_id},
          {"sides", list_of(from.sides, [](const actors::disputed_write& each) {
             json::object side{{"participant", each.participant}};
             if (each.deleted)
               side.emplace("deleted", true);
             else
               side.emplace("value", each.value);
             return side;
           })}};
}

json::object approval_in(const actors::approval_request& from) {
  return {{"participant", from.participant},
          {"kind", protocol::to_word(from.kind)},
          {"name", from.name},
          {"arguments", from.arguments},
          {"sha256", from.sha256}};
}

json::object handoff_in(const actors::received_handoff& from) {
  return {{"handoff_id", from.handoff_id},
          {"from", from.from},
          {"instructions", from.instructions},
          {"reason", from.reason}};
}

void add_turn(json::object& to, const turn_request& asked) {
  to.emplace("token", asked.token);
  add_some(to, "turn_number", asked.turn);
  add_some(to, "round", asked.round);
  add_some(to, "attempt", asked.attempt);
  to.emplace("sequence", asked.sequence);
  to.emplace("deadline", protocol::format_timestamp(asked.deadline));
  to.emplace("task", asked.task);
  add_some(to, "duty", asked.duty);
  add_some(to, "step_id", asked.step_id);
  if (!asked.handoff.handoff_id.empty())
    to.emplace("handoff", handoff_in(asked.handoff));
  if (asked.limited)
    to.emplace("may_write", list_of(asked.resources, [](const auto& each) {
                 return json::object{{"resource_type", each.resource_type},
                                     {"resource_id", each.resource_id}};
               }));
}

} // namespace

json::object workspace_json(const turn_request& asked, workspace_part shown) {
  const bool all = shown == workspace_part::snapshot;
  return {{"revision", asked.workspace.revision()},
          {all ? "resources" : "changes",
           list_of(all ? asked.workspace.resources() : asked.news(),
                   [](const auto& each) { return resource_in(*each); })}};
}

json::object to_json(const turn_request& asked, workspace_part shown) {
  json::object made{{"convene", "1"},
                    {"wanted", word_for(asked.kind)},
                    {"session",
                     {{"session_id", asked.session_id},
                      {"mode", protocol::to_word(asked.mode)},
                      {"title", asked.title},
                      {"purpose", asked.purpose}}},
                    {"participant", participant_in(asked)}};
  add_turn(made, asked);
  made.emplace(
    "dialog", list_of(asked.dialog(), [](const actors::dialog_entry& each) {
      return json::object{{"participant", each.participant},
                          {"content", each.content},
                          {"at", protocol::format_timestamp(each.at)}};
    }));
  made.emplace("workspace", workspace_json(asked, shown));
  if (const auto responses = asked.responses(); !responses.empty())
    made.emplace("responses", answers_in(responses));
  if (asked.missed.needed != 0)
    made.emplace("missed_quorum", missed_in(asked.missed));
  if (asked.kind == session::request_kind::decision)
    made.emplace("decide", decide_in(asked.decide));
  if (!asked.dispute.conflict_id.empty())
    made.emplace("dispute", dispute_in(asked.dispute));
  if (!asked.approval.participant.empty())
    made.emplace("approval", approval_in(asked.approval));
  return made;
}

std::string question_of(json::object request) {
  for (const auto* each :
       {"token", "turn_number", "attempt", "sequence", "deadline", "reply_url"})
    request.erase(each);
  return protocol::json_sha256(request);
}

std::string request_json(const turn_request& asked, workspace_part shown) {
  return json::serialize(to_json(asked, shown));
}

} // namespace convene::host
