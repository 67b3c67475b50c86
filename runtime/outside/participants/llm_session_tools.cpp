#include <boost/json/parse.hpp>
#include <convene/protocol/codec/object_writer.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/runtime/outside/participants/llm_checks.hpp>
#include <convene/runtime/outside/participants/llm_session_tools.hpp>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace convene::host {

namespace json = protocol::json;
using actors::turn_request;
using session::request_kind;

bool is_decision(const turn_request& asked) {
  return asked.kind == request_kind::decision;
}

bool is_vote(const turn_request& asked) {
  return asked.kind == request_kind::vote
         || asked.kind == request_kind::escalation;
}

void add_base_version(json::object& to, const turn_request& asked) {
  if (!to.contains("base_version"))
    to["base_version"] = version_of(asked,
                                    protocol::text_of(to, "resource_type"),
                                    protocol::text_of(to, "resource_id"));
}

namespace {

bool is_turn(const turn_request& asked) {
  return asked.kind == request_kind::turn;
}

bool may_hand_off(const turn_request& asked) {
  return (is_turn(asked) && asked.mode != protocol::mode::broadcast)
         || is_decision(asked);
}

bool may_claim(const turn_request& asked) {
  return is_turn(asked) && asked.mode == protocol::mode::swarm;
}

bool may_add_task(const turn_request& asked) {
  return is_turn(asked)
         && (asked.mode == protocol::mode::swarm || !asked.step_id.empty());
}

bool may_end(const turn_request& asked) {
  return is_turn(asked) || asked.kind == request_kind::broadcast;
}

bool has_plan(const turn_request& asked) {
  return is_decision(asked) && asked.decide.steps_total > 0;
}

bool has_people(const turn_request& asked) {
  return is_decision(asked)
         && std::ranges::any_of(asked.decide.participants, [](auto& each) {
              return each.kind == protocol::participant_kind::human;
            });
}

bool has_open_turns(const turn_request& asked) {
  return is_decision(asked) && asked.decide.outstanding > 0;
}

bool has_resources(const turn_request& asked) {
  return !asked.workspace.empty();
}

/// Adds to a list of the reply within its bound.
template <class T>
std::string add_to(std::vector<T>& all, T what, std::size_t most) {
  if (all.size() >= most)
    return "a reply has at most " + std::to_string(most) + " of these";
  all.push_back(std::move(what));
  return {};
}

std::string write_resource(json::object& from, const turn_request& asked,
                           protocol::reply& to) {
  add_base_version(from, asked);
  const bool has_value = from.contains("value");
  protocol::resource_write what;
  auto problem = read_into(std::move(from), what);
  if (problem.empty())
    problem = problem_of(what, asked);
  if (problem.empty() && !has_value && what.op != protocol::write_op::remove)
    problem = "`value` is missing";
  if (!problem.empty())
    return problem;
  const auto before = std::ranges::find_if(to.writes, [&](const auto& each) {
    return each.resource_type == what.resource_type
           && each.resource_id == what.resource_id;
  });
  if (before == to.writes.end())
    return add_to(to.writes, std::move(what), protocol::reply_writes_max);
  // One write of a resource in a reply: a second one would be based on a
  // version that may become another one's.
  if (what.op != protocol::write_op::put
      && what.op != protocol::write_op::remove)
    return "you have already written this resource in this turn; write its "
           "whole value with op put";
  *before = std::move(what);
  return {};
}

/// Reads one more element of a list of the reply.
template <class T>
std::string
read_onto(json::object& from, std::vector<T>& all, std::size_t most) {
  T what;
  auto problem = read_into(std::move(from), what);
  return problem.empty() ? add_to(all, std::move(what), most) : problem;
}

std::string claim_resource(json::object& from, const turn_request&,
                           protocol::reply& to) {
  return read_onto(from, to.claim, protocol::reply_claims_max);
}

std::string add_task(json::object& from, const turn_request&,
                     protocol::reply& to) {
  return read_onto(from, to.tasks, protocol::reply_tasks_max);
}

std::string decide(std::string_view name, json::object& from,
                   const turn_request& asked, protocol::reply& to) {
  protocol::decision what;
  auto problem = read_into(json::object{{name, std::move(from)}}, what);
  if (problem.empty())
    problem = problem_of(what, asked);
  return problem.empty()
           ? add_to(to.decision, std::move(what), protocol::reply_decisions_max)
           : problem;
}

std::string hand_off(json::object& from, const turn_request& asked,
                     protocol::reply& to) {
  if (is_decision(asked))
    return decide("handoff", from, asked, to);
  protocol::handoff what;
  auto problem = read_into(std::move(from), what);
  if (problem.empty())
    problem = problem_of(what, asked);
  if (problem.empty() && to.handoff)
    problem = "a turn is handed off once";
  if (problem.empty())
    to.handoff = std::move(what);
  return problem;
}

std::string end_session(json::object& from, const turn_request&,
                        protocol::reply& to) {
  if (from.size() > (from.contains("content") ? 1U : 0U))
    return "the only argument is `content`";
  to.end = true;
  if (const auto said = protocol::text_of(from, "content"); !said.empty())
    to.content = said;
  return {};
}

std::string vote(json::object& from, const turn_request& asked,
                 protocol::reply& to) {
  from["conflict_id"] = asked.dispute.conflict_id;
  protocol::vote what;
  auto problem = read_into(std::move(from), what);
  if (problem.empty())
    problem = problem_of(what, asked);
  if (problem.empty())
    to.vote = std::move(what);
  return problem;
}

template <std::size_t Index>
std::string
decide_as(json::object& from, const turn_request& asked, protocol::reply& to) {
  return decide(protocol::decision_name(Index), from, asked, to);
}

#define RESOURCE                                                               \
  R"("resource_type":{"type":"string","minLength":1},)"                        \
  R"("resource_id":{"type":"string","minLength":1})"

const std::array<session_tool, 13> all_tools{{
  {read_name, "Reads a shared resource as it was when you were asked.",
   "{" RESOURCE "}", R"(["resource_type","resource_id"])", false, has_resources,
   nullptr, ""},
  {"write_resource",
   "Changes a shared resource. It takes effect when you have answered. op: "
   "put (the default) sets its whole value, merge applies a JSON merge patch, "
   "patch a JSON patch, delete removes it.",
   "{" RESOURCE
   R"(,"op":{"type":"string","enum":["put","merge","patch","delete"]},)"
   R"("value":{"description":"any JSON value"}})",
   R"(["resource_type","resource_id"])", false, may_write, write_resource,
   "writes[]"},
  {"claim",
   "Claims a shared resource, so that nobody else may write it for a while; "
   "release gives it back, to hands it to another participant.",
   "{" RESOURCE R"(,"release":{"type":"boolean"},"to":{"type":"string"}})",
   R"(["resource_type","resource_id"])", false, may_claim, claim_resource,
   "claim[]"},
  {"add_task", "Adds new work to the plan, for anybody or for a role.",
   R"({"title":{"type":"string","minLength":1},)"
   R"("description":{"type":"string"},)"
   R"("resources":{"type":"array","items":{"type":"string"}},)"
   R"("role":{"type":"string"}})",
   R"(["title"])", false, may_add_task, add_task, "tasks[]"},
  {"hand_off",
   "Passes your turn to another participant, named by participant_id or role.",
   R"({"to":{"type":"string","minLength":1},)"
   R"("instructions":{"type":"string"},"reason":{"type":"string"}})",
   R"(["to"])", true, may_hand_off, hand_off, "handoff"},
  {"end_session",
   "Says that the session's purpose is reached and it should end. content is "
   "what you say last.",
   R"({"content":{"type":"string"}})", "[]", true, may_end, end_session, "end"},
  {"vote", "Says whose write should stand.",
   R"({"for":{"type":"string","minLength":1}})", R"(["for"])", true, is_vote,
   vote, "vote"},
  {"dispatch",
   "Gives a participant a turn: exactly one of participant and role, or a "
   "step_id alone. resources: all that it may write; leave it out only if no "
   "other turn is open.",
   R"({"participant":{"type":"string"},"role":{"type":"string"},)"
   R"("task":{"type":"string"},"step_id":{"type":"string"},)"
   R"("resources":{"type":"array","items":{"type":"object","properties":{)" RESOURCE
   R"(},"required":["resource_type","resource_id"],)"
   R"("additionalProperties":false}}})",
   "[]", true, is_decision, decide_as<0>, "decision[]dispatch"},
  {"broadcast", "Asks all others at once and collects their answers.",
   R"({"task":{"type":"string"}})", "[]", true, is_decision, decide_as<1>,
   "decision[]broadcast"},
  {"close_step", "A step has failed, or with skip is not needed any more.",
   R"({"step_id":{"type":"string","minLength":1},)"
   R"("skip":{"type":"boolean"},"reason":{"type":"string"}})",
   R"(["step_id"])", true, has_plan, decide_as<2>, "decision[]close_step"},
  {"complete",
   "The session is done; success false: it has not reached its purpose.",
   R"({"success":{"type":"boolean"},"reason":{"type":"string"}})", "[]", true,
   is_decision, decide_as<3>, "decision[]complete"},
  {"wait", "Waits until an open turn closes.", "{}", "[]", true, has_open_turns,
   decide_as<4>, "decision[]wait"},
  {"ask", "Asks a person.",
   R"({"participant":{"type":"string"},)"
   R"("task":{"type":"string","minLength":1}})",
   R"(["task"])", true, has_people, decide_as<6>, "decision[]ask"},
}};
#undef RESOURCE

} // namespace

std::span<const session_tool> all_session_tools() noexcept {
  return all_tools;
}

json::object schema_of(const session_tool& what) {
  json::object schema{{"type", "object"},
                      {"properties", json::parse(what.properties)},
                      {"required", json::parse(what.required)},
                      {"additionalProperties", false}};
  if (schema["required"].as_array().empty())
    schema.erase("required");
  return schema;
}

} // namespace convene::host
