#include <support/random_parts.hpp>
#include <support/random_session.hpp>
#include <support/rig.hpp>

namespace convene::test {
namespace {

using namespace convene::session;
using protocol::reply;

class runner {
public:
  runner(const routing_policy& policy, std::uint32_t seed,
         const protocol::event_gate* gate, bool acts)
    : dice_(seed), bench_(random_spec(dice_, policy), policy, gate),
      calm_(dice_.chance(60)), mood_{.ends = dice_.chance(20) ? 80U : 5U,
                                     .hands_off = dice_.chance(40) ? 60U : 5U,
                                     .people = people()},
      acts_(acts) {
    // nop
  }

  random_log run() {
    bench_.feed(start{});
    for (auto n = dice_.below(80); n > 0; --n)
      step();
    finish();
    compare_steps();
    const auto length = bench_.lines.size();
    for (int n = 0; n < 3; ++n)
      step();
    if (bench_.lines.size() != length)
      broken_.push_back("something came after the end");
    return {std::move(bench_.lines), std::move(broken_)};
  }

private:
  /// How many of the names take part.
  [[nodiscard]] std::size_t people() const {
    return std::min(random_names.size(),
                    bench_.machine().spec().collab.participants.size());
  }

  /// Somebody's position, sometimes nobody's.
  participant_index anyone() {
    return dice_.below(bench_.machine().spec().collab.participants.size() + 1);
  }

  /// One of those who were asked last, and so may have something open.
  participant_index asked_lately() {
    const auto& asked = bench_.asked;
    if (asked.empty())
      return 0;
    const auto back = dice_.below(std::min<std::size_t>(asked.size(), 3));
    return asked[asked.size() - 1 - back].to;
  }

  void answer_last(participant_index from, participant_index addressee) {
    const auto asked = bench_.open.find(addressee);
    if (asked == bench_.open.end())
      return;
    auto made = random_reply(dice_, mood_);
    if (asked->second.kind == request_kind::decision && dice_.chance(90)) {
      made.claim.clear();
      made.vote.reset();
      made.status = protocol::reply_status::completed;
      made.handoff.reset();
      made.decision = random_decisions(dice_, *asked->second.decide, people());
    }
    for (auto& what : made.writes)
      aim(what);
    bench_.feed(session::answer{from, asked->second.token, std::move(made)});
  }

  /// Most writes of steps are of one that there is, on the version that stands.
  void aim(protocol::resource_write& what) {
    const auto* plan = bench_.machine().plan();
    if (what.resource_type != "plan_step" || plan == nullptr
        || plan->steps.empty() || dice_.chance(20))
      return;
    what.resource_id = dice_.one_of(plan->steps).step_id;
    if (dice_.chance(70))
      what.base_version
        = static_cast<std::int64_t>(bench_.machine().workspace().version_of(
          {what.resource_type, what.resource_id}));
  }

  void write(participant_index who) {
    auto what = random_write(dice_);
    aim(what);
    bench_.feed(write_attempt{who, last_token(who), std::move(what)});
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
    auto made = random_reply(dice_, {.ends = 0, .people = people()});
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

  /// Somebody begins or ends an action, mostly as it should.
  void act() {
    if (dice_.chance(2))
      bench_.feed(forked{});
    const auto who = dice_.chance(90) ? asked_lately() : anyone();
    auto token = last_token(who);
    if (const auto& asked = bench_.asked; !asked.empty() && dice_.chance(20))
      token = asked.back().what.token;
    const std::string position = dice_.one_of(
      std::vector<std::string>{"1", "1.0", "1.1", "2", "", "2.0"});
    const bool someone = who
                         < bench_.machine().spec().collab.participants.size();
    std::uint32_t attempt = 0;
    if (someone) {
      const auto recorded = bench_.machine().actions_of(who, token);
      for (const auto& each : recorded->all)
        if (each.what.position == position)
          attempt = each.attempt;
    }
    if (dice_.chance(10))
      attempt += dice_.below(3);
    if (dice_.chance(60))
      bench_.feed(action_begins{who,
                                token,
                                {.position = position,
                                 .kind = position == "1" || dice_.chance(5)
                                           ? protocol::action_kind::model
                                           : protocol::action_kind::mcp,
                                 .name = dice_.chance(97) ? "tool" : "other",
                                 .arguments = {{"of", position}},
                                 .repeatable = position != "1.1"},
                                attempt + 1});
    else
      bench_.feed(action_ends{who, token, position, attempt, random_result()});
  }

  protocol::action_result random_result() {
    using protocol::action_status;
    const auto status = static_cast<action_status>(dice_.below(4));
    return {.status = status,
            .output = dice_.chance(90) ? "out" : "\xff",
            .error = {dice_.chance(50) ? "code" : "", "why", dice_.chance(50)},
            .usage = {.prompt_tokens = dice_.below(200),
                      .cost_microusd = dice_.below(3)}};
  }

  void step() {
    if (acts_ && dice_.chance(50))
      return act();
    if (dice_.chance(30))
      bench_.now += dice_.below(50);
    // Else most requests would time out.
    if (dice_.chance(60)) {
      const auto lately = asked_lately();
      return answer_last(lately, lately);
    }
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
        bench_.feed(message{.content = "by the way \xff"});
        break;
      case 3:
        bench_.feed(session::answer{
          who, {dice_.below(5), dice_.below(5)}, random_reply(dice_, mood_)});
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
        write(who);
        break;
      case 20:
        for (int n = 0; n < 12; ++n)
          bench_.feed(session::answer{who, {1, 2}, says("again")});
        break;
      default:
        answer_last(who, who);
    }
  }

  /// The plan and the workspace must say the same about a step.
  void compare_steps() {
    const auto* plan = bench_.machine().plan();
    if (plan == nullptr || bench_.machine().result()->condition == "fault")
      return;
    for (const auto& step : plan->steps) {
      const auto shown
        = bench_.machine().workspace().find({"plan_step", step.step_id});
      if (shown
          && shown->value
               != protocol::json::value{{"description", step.description},
                                        {"status", to_word(step.status)}})
        broken_.push_back("step " + step.step_id
                          + " is not in the workspace as the plan has it");
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
  mood mood_;
  bool acts_;
  std::vector<std::string> broken_;
};

} // namespace

random_log run_random_session(const routing_policy& policy, std::uint32_t seed,
                              const protocol::event_gate* gate, bool acts) {
  return runner{policy, seed, gate, acts}.run();
}

} // namespace convene::test
