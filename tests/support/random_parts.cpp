#include <convene/session/spec/roster.hpp>
#include <support/random_parts.hpp>
#include <support/specs.hpp>

namespace convene::test {

using namespace convene::session;
using protocol::reply;

const std::vector<std::string> random_names{
  "orchestrator-a", "agent-b-writer", "c", "d-reviewer", "e", "f"};

namespace {

const auto& names = random_names;
const std::vector<std::string> roles{"",       "writer", "reviewer",
                                     "nobody", "role-c", "e"};

protocol::plan random_plan(dice& d) {
  std::vector<step> steps(1 + d.below(6));
  for (unsigned i = 0; i < steps.size(); ++i) {
    steps[i] = {.description = "step " + std::to_string(i),
                .role = d.one_of(roles)};
    for (unsigned j = 0; j < i; ++j)
      if (d.chance(30))
        steps[i].after.push_back(j);
  }
  auto made = make_plan(steps);
  using enum protocol::step_status;
  for (auto& s : made.steps)
    if (d.chance(10))
      s.status = d.one_of<protocol::step_status>(
        {completed, skipped, failed, blocked, in_progress});
  for (auto& s : made.steps)
    if (d.chance(30))
      s.order_index = d.below(4);
  using status = protocol::plan_status;
  made.status = d.one_of<status>(
    {status::draft, status::proposed, status::approved, status::in_progress});
  return made;
}

std::vector<protocol::resource_ref> random_resources(dice& d) {
  std::vector<protocol::resource_ref> all;
  for (const auto* type : {"file", "doc"})
    for (const auto* id : {"a", "b"})
      if (d.chance(30))
        all.push_back({type, id});
  return all;
}

protocol::handoff random_handoff(dice& d, std::size_t people) {
  const auto near = names[d.below(people)];
  return {.to = d.chance(60)   ? near
                : d.chance(70) ? d.one_of(names)
                               : d.one_of(roles),
          .instructions = d.chance(50) ? "go on \xff" : "",
          .reason = d.chance(30) ? "I cannot" : ""};
}

/// Any decision, most of them nonsense.
protocol::decision random_decision(dice& d) {
  switch (d.below(7)) {
    case 0:
      return protocol::complete_decision{d.chance(70), "enough"};
    case 1:
      return protocol::wait_decision{};
    case 2:
      return random_handoff(d, names.size());
    case 3:
      return protocol::dispatch_decision{.role = d.one_of(roles)};
    case 4:
      return protocol::close_step_decision{step_id(d.below(7)), false, ""};
    case 5:
      return protocol::ask_decision{d.chance(50) ? d.one_of(names) : "",
                                    d.chance(90) ? "what now?" : ""};
    default:
      return protocol::dispatch_decision{.participant = d.one_of(names),
                                         .step_id = step_id(d.below(7))};
  }
}

/// A decision that fits what the orchestrator was asked.
protocol::decision fitting_decision(dice& d, const decision_view& asked,
                                    std::size_t people) {
  const auto ready = asked.ready.empty() ? std::string{}
                                         : d.one_of(asked.ready).step_id;
  if (d.chance(10))
    return protocol::broadcast_decision{"what do you think?"};
  if (d.chance(20) && !ready.empty())
    return protocol::close_step_decision{ready, d.chance(50), "not needed"};
  if (d.chance(5))
    return protocol::handoff{names[d.below(people)], "yours", ""};
  if (d.chance(5))
    return protocol::ask_decision{"", "may we?"};
  if (asked.outstanding > 0 && d.chance(20))
    return protocol::wait_decision{};
  protocol::dispatch_decision made{.participant = names[d.below(people)],
                                   .step_id = d.chance(60) ? ready : ""};
  if (d.chance(asked.outstanding > 0 ? 95 : 70))
    made.resources = random_resources(d);
  return made;
}

end_condition random_end(dice& d, unsigned depth = 0) {
  switch (d.below(depth < 3 ? 14 : 11)) {
    case 0:
      return when::turns(1 + d.below(6));
    case 1:
      return when::rounds(1 + d.below(3));
    case 2:
      return when::duration_ms(1 + d.below(5000));
    case 3:
      return when::idle_ms(1 + d.below(2000));
    case 4:
      return when::text("quoted", d.one_of(roles));
    case 5:
      return d.chance(50) ? when::majority_votes() : when::votes(0.3);
    case 6:
      return when::plan_complete();
    case 7:
      return when::tokens(1 + d.below(500));
    case 8:
      return when::failures(1 + d.below(3));
    case 9:
      return when::no_progress(1 + d.below(5));
    case 10:
      return when::stopped();
    case 11:
      return when::none(random_end(d, depth + 1));
    case 12:
      return when::all({random_end(d, depth + 1), random_end(d, depth + 1)});
    default:
      return when::any({random_end(d, depth + 1), random_end(d, depth + 1)});
  }
}

} // namespace

namespace {

/// A write of one of the plan's steps, if it has that one.
protocol::resource_write random_step_write(dice& d) {
  protocol::json::object value;
  if (d.chance(60))
    value.emplace("status", d.one_of<std::string>(
                              {"in_progress", "in_progress", "completed",
                               "skipped", "failed", "pending", "nonsense"}));
  if (d.chance(50))
    value.emplace("description", d.one_of<std::string>({"other", "words", ""}));
  if (d.chance(5))
    value.emplace("agent_role", "writer");
  return {.resource_type = "plan_step",
          .resource_id = step_id(d.below(4)),
          .base_version = d.below(3),
          .op = static_cast<protocol::write_op>(d.below(3)),
          .value = std::move(value)};
}

} // namespace

protocol::resource_write random_write(dice& d) {
  if (d.chance(20))
    return random_step_write(d);
  protocol::resource_write made{.resource_type = d.chance(80) ? "file" : "doc",
                                .resource_id = d.chance(50) ? "a" : "b",
                                .base_version = d.below(5)};
  made.op = static_cast<protocol::write_op>(d.below(4));
  switch (d.below(4)) {
    case 0:
      made.value = d.below(9);
      break;
    case 1:
      made.value
        = protocol::json::object{{d.chance(50) ? "x" : "y", d.below(9)}};
      break;
    case 2:
      made.value = protocol::json::array{
        {{"op", "add"}, {"path", "/z"}, {"value", d.below(9)}}};
      break;
    default:
      break;
  }
  return made;
}

std::vector<protocol::decision>
random_decisions(dice& d, const decision_view& asked, std::size_t people) {
  std::vector<protocol::decision> all;
  do
    all.push_back(d.chance(8) ? random_decision(d)
                              : fitting_decision(d, asked, people));
  while (d.chance(45));
  return all;
}

reply random_reply(dice& d, const mood& of) {
  reply made{
    .content = d.one_of<std::string>(
      {"", "yes", "a \"quoted\" \n answer", "\xff\xfe no text", "äöü"})};
  if (d.chance(15))
    made.status = protocol::reply_status::failed;
  else if (d.chance(15))
    made.status = protocol::reply_status::declined;
  if (d.chance(15))
    made.error = {d.one_of<std::string>({"", "broken"}), "why"};
  if (d.chance(10))
    for (auto n = d.below(3); n > 0; --n)
      made.tasks.push_back({.title = d.chance(90) ? "more" : "",
                            .description = d.chance(50) ? "of it" : "",
                            .resources = {"file"},
                            .role = d.one_of(roles)});
  for (auto n = d.chance(40) ? 1 + d.below(3) : 0; n > 0; --n)
    made.writes.push_back(random_write(d));
  made.end = d.chance(of.ends);
  if (d.chance(30))
    made.usage = {d.below(100), d.below(100), std::int64_t{d.below(9)} - 4};
  if (d.chance(10))
    made.reasoning = {"because"};
  if (d.chance(15))
    made.result = {{"status", "kept"}, {"score", 0.1 * d.below(99)}};
  if (d.chance(15))
    made.claim.push_back({.resource_type = "file",
                          .resource_id = d.chance(50) ? "a" : "b",
                          .release = d.chance(20),
                          .to = d.chance(20) ? d.one_of(names) : ""});
  if (d.chance(3))
    made.vote = protocol::vote{"no conflict", d.one_of(names)};
  if (d.chance(10))
    made.decision = {random_decision(d)};
  if (!d.chance(of.hands_off))
    return made;
  made.handoff = random_handoff(d, of.people);
  if (d.chance(80)) {
    made.status = protocol::reply_status::completed;
    made.vote.reset();
  }
  if (d.chance(60))
    made.claim.clear();
  return made;
}

session::spec random_spec(dice& d, const session::routing_policy& policy) {
  const auto known = protocol::from_word<protocol::mode>(policy.name);
  const auto mode = known.value_or(
    policy.takes_turns ? protocol::mode::round_robin : protocol::mode::swarm);
  std::size_t count = 1 + d.below(names.size());
  if (mode == protocol::mode::pair)
    count = 2;
  else if (mode == protocol::mode::broadcast || mode == protocol::mode::swarm)
    count = std::max<std::size_t>(2, count);
  auto made = make_spec(
    mode, {names.begin(), names.begin() + static_cast<std::ptrdiff_t>(count)});
  if (d.chance(20))
    made.collab.participants.push_back(
      {.participant_id = "clock",
       .role_id = "role-clock",
       .kind = protocol::participant_kind::system});
  for (auto& p : made.collab.participants)
    if (d.chance(20) && p.kind == protocol::participant_kind::agent)
      p.kind = protocol::participant_kind::human;
  if (d.chance(50))
    made.collab.status = protocol::collab_status::active;
  auto& o = made.options;
  if (!known)
    o.policy = std::string{policy.name};
  using enum conflict_strategy;
  o.conflicts.strategy
    = d.one_of<conflict_strategy>({hierarchy, last_write_wins, first_write_wins,
                                   merge, voting, voting, escalation});
  o.claim_timeout_ms = 1 + d.below(2000);
  if (d.chance(50))
    o.conflicts.ranks = {{names[d.below(count)], 1}};
  if (d.chance(70))
    made.workspace = {{"file", "a", protocol::json::object{{"x", 0}}},
                      {"doc", "a", "text"}};
  if (d.chance(20)) {
    made.roles = {{.role_id = id(9), .name = "role-" + names[0]}};
    made.roles[0].capabilities = {"file.write", "collab.orchestrate"};
  }
  if (d.chance(50))
    made.plan = random_plan(d);
  if (d.chance(20))
    made.tasks = {{.title = "extra", .role = d.one_of(roles)}};
  // Only what somebody fits may start.
  std::vector<std::string> wanted;
  for (const auto& task : made.tasks)
    wanted.push_back(task.role);
  if (made.plan)
    for (const auto& step : made.plan->steps)
      wanted.push_back(step.agent_role.value_or(""));
  const auto who = make_roster(made);
  for (const auto& role : wanted)
    if (!why_nobody_fits(made, who, role).empty())
      o.assign[role] = names[d.below(count)];
  if (d.chance(60))
    o.rounds = 1 + d.below(4);
  o.swap_every = d.below(3);
  o.quorum
    = d.one_of<std::optional<double>>({std::nullopt, 0.01, 0.5, 0.66, 1.0});
  o.retries = d.below(3);
  if (d.chance(60))
    o.max_handoff_depth = d.below(4);
  o.turn_timeout_ms = 1 + d.below(1000);
  o.max_duration_ms = 1 + d.below(20'000);
  o.max_turns = d.chance(80) ? 1000 : 1 + d.below(6);
  if (d.chance(30))
    o.end = random_end(d);
  if (d.chance(10))
    o.budget.tokens = 1 + d.below(1000);
  if (d.chance(10))
    o.no_progress = 1 + d.below(6);
  if (count > 1 && d.chance(30))
    o.deputy = names[1];
  if (d.chance(20))
    o.initiator = names[d.below(count)];
  if (d.chance(20))
    o.assign["writer"] = made.collab.participants.back().participant_id;
  return made;
}

} // namespace convene::test
