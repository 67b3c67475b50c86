#include <support/random_session.hpp>
#include <support/rig.hpp>

namespace convene::test {
namespace {

using namespace convene::session;
using protocol::reply;

const std::vector<std::string> names{
  "orchestrator-a", "agent-b-writer", "c", "d-reviewer", "e", "f"};
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

/// A write of one of few resources, on a version that may stand.
protocol::resource_write random_write(dice& d) {
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

std::vector<protocol::resource_ref> random_resources(dice& d) {
  std::vector<protocol::resource_ref> all;
  for (const auto* type : {"file", "doc"})
    for (const auto* id : {"a", "b"})
      if (d.chance(30))
        all.push_back({type, id});
  return all;
}

protocol::handoff random_handoff(dice& d) {
  const auto near = names[d.below(3)];
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
      return random_handoff(d);
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
  if (d.chance(asked.outstanding > 0 ? 90 : 40))
    made.resources = random_resources(d);
  return made;
}

std::vector<protocol::decision>
random_decisions(dice& d, const decision_view& asked, std::size_t people) {
  std::vector<protocol::decision> all;
  do
    all.push_back(d.chance(15) ? random_decision(d)
                               : fitting_decision(d, asked, people));
  while (d.chance(15));
  return all;
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

reply random_reply(dice& d, unsigned end_percent) {
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
  made.end = d.chance(end_percent);
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
  if (d.chance(30)) {
    made.handoff = random_handoff(d);
    if (d.chance(80)) {
      made.status = protocol::reply_status::completed;
      made.vote.reset();
    }
    if (d.chance(60))
      made.claim.clear();
  }
  return made;
}

class runner {
public:
  runner(const routing_policy& policy, std::uint32_t seed,
         const protocol::event_gate* gate)
    : dice_(seed), bench_(random_spec(dice_, policy), policy, gate),
      calm_(dice_.chance(60)), end_percent_(dice_.chance(20) ? 80 : 5) {
    // nop
  }

  random_log run() {
    bench_.feed(start{});
    for (auto n = dice_.below(80); n > 0; --n)
      step();
    finish();
    const auto length = bench_.lines.size();
    for (int n = 0; n < 3; ++n)
      step();
    if (bench_.lines.size() != length)
      broken_.push_back("something came after the end");
    return {std::move(bench_.lines), std::move(broken_)};
  }

private:
  /// Somebody's position, sometimes nobody's.
  participant_index anyone() {
    return dice_.below(bench_.machine().spec().collab.participants.size() + 1);
  }

  void answer_last(participant_index from, participant_index addressee) {
    const auto asked = bench_.open.find(addressee);
    if (asked == bench_.open.end())
      return;
    auto made = random_reply(dice_, end_percent_);
    if (asked->second.kind == request_kind::decision && dice_.chance(90)) {
      made.claim.clear();
      made.vote.reset();
      made.status = protocol::reply_status::completed;
      made.handoff.reset();
      made.decision = random_decisions(
        dice_, *asked->second.decide,
        std::min(names.size(),
                 bench_.machine().spec().collab.participants.size()));
    }
    bench_.feed(session::answer{from, asked->second.token, std::move(made)});
  }

  /// Somebody who was asked about a conflict answers, perhaps again.
  void vote() {
    std::vector<const delivery*> questions;
    for (const auto& d : bench_.asked)
      if (d.what.kind == request_kind::vote
          || d.what.kind == request_kind::escalation)
        questions.push_back(&d);
    if (questions.empty())
      return;
    const auto late = dice_.chance(80) ? 0 : dice_.below(questions.size());
    const auto& [to, what] = *questions[questions.size() - 1 - late];
    auto made = random_reply(dice_, 0);
    if (dice_.chance(80)) {
      const auto side = what.conflict->sides[dice_.below(2)].participant;
      made.status = protocol::reply_status::completed;
      if (side < bench_.machine().spec().collab.participants.size())
        made.vote = protocol::vote{
          what.conflict->conflict_id,
          bench_.machine().spec().collab.participants[side].participant_id};
    }
    bench_.feed(session::answer{to, what.token, std::move(made)});
  }

  /// Of its latest request, mostly.
  protocol::uuid last_token(participant_index who) {
    const auto asked = bench_.open.find(who);
    return asked == bench_.open.end() || dice_.chance(10)
             ? protocol::uuid{dice_.below(5), 1}
             : asked->second.token;
  }

  void step() {
    if (dice_.chance(30))
      bench_.now += dice_.below(50);
    const auto who = anyone();
    switch (dice_.below(calm_ ? 12 : 24)) {
      case 0:
        bench_.feed(tick{});
        break;
      case 1:
        bench_.pass(dice_.below(1500));
        break;
      case 2:
        if (const auto due = bench_.machine().next_deadline())
          bench_.now = std::max(bench_.now, *due);
        bench_.feed(tick{});
        break;
      case 12:
        bench_.feed(participant_down{who, "lost \xff"});
        break;
      case 13:
      case 14:
        bench_.feed(participant_up{who});
        break;
      case 15:
        bench_.feed(suspend{dice_.chance(50) ? "lunch" : ""});
        break;
      case 16:
      case 17:
        bench_.feed(resume{});
        break;
      case 18:
        if (dice_.chance(10))
          bench_.feed(cancel{"enough"});
        else if (dice_.chance(10))
          bench_.feed(stop{"enough"});
        break;
      case 19:
        bench_.feed(start{});
        break;
      case 3:
        bench_.feed(session::answer{who,
                                    {dice_.below(5), dice_.below(5)},
                                    random_reply(dice_, end_percent_)});
        break;
      case 4:
        answer_last(who, anyone());
        break;
      case 10:
        vote();
        break;
      case 22:
        bench_.feed(claim_attempt{
          who, last_token(who), {"file", dice_.chance(50) ? "a" : "b"}});
        break;
      case 11:
      case 21:
        bench_.feed(write_attempt{who, last_token(who), random_write(dice_)});
        break;
      case 20:
        for (int n = 0; n < 12; ++n)
          bench_.feed(session::answer{who, {1, 2}, says("again")});
        break;
      default:
        answer_last(who, who);
    }
  }

  /// Time alone must bring every session to its end.
  void finish() {
    for (int n = 0; n < 20'000 && !bench_.machine().ended(); ++n) {
      if (bench_.machine().status() == protocol::collab_status::suspended)
        bench_.feed(resume{});
      const auto due = bench_.machine().next_deadline();
      if (!due)
        break;
      bench_.now = std::max(bench_.now, *due);
      bench_.feed(tick{});
    }
    if (!bench_.machine().ended())
      broken_.push_back("time alone does not end the session");
  }

  dice dice_;
  rig bench_;
  bool calm_; ///< nobody is lost, nothing is suspended
  unsigned end_percent_;
  std::vector<std::string> broken_;
};

} // namespace

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
  if (d.chance(60))
    o.rounds = 1 + d.below(4);
  o.swap_every = d.below(3);
  o.quorum = d.one_of<double>({0.01, 0.5, 0.66, 1.0});
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
    o.assign = {{"writer", made.collab.participants.back().participant_id}};
  return made;
}

random_log run_random_session(const routing_policy& policy, std::uint32_t seed,
                              const protocol::event_gate* gate) {
  return runner{policy, seed, gate}.run();
}

} // namespace convene::test
