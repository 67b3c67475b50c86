#include <boost/container/flat_set.hpp>
#include <convene/session/orchestration/decision_checks.hpp>
#include <convene/session/orchestration/decisions.hpp>
#include <convene/session/orchestration/handoff_receiver.hpp>

#include <algorithm>
#include <set>
#include <utility>

namespace convene::session {
namespace {

using protocol::errc;
using protocol::fail;
using protocol::result;

/// One reading of a list of decisions. Whoever gets a turn by an earlier one
/// has it in the eyes of those that follow.
class resolver {
  /// Open turns that need no memory.
  static constexpr std::size_t few_turns = 8;

public:
  explicit resolver(const decision_context& now) : now_(now) {
    for (const auto& turn : now.open) {
      busy_.insert(turn.holder);
      static_cast<void>(resources_.add(*turn.terms));
    }
  }

  [[nodiscard]] std::size_t turns_open() const noexcept {
    return busy_.size();
  }

  result<decision> operator()(const protocol::dispatch_decision& d) {
    const auto step = d.step_id.empty() ? no_step : ready_step(d.step_id);
    if (const auto* held = clash_of(d.step_id))
      return fail(errc::not_allowed,
                  "step " + d.step_id + " cannot be open now: " + *held
                    + " is a resource of another step that is open",
                  "resources_overlap");
    if (!d.step_id.empty() && step == no_step)
      return fail(errc::not_allowed, "step " + d.step_id + " is not ready");
    if (step != no_step)
      used_.insert(now_.plan->state(step).resources.begin(),
                   now_.plan->state(step).resources.end());
    const auto to = find_target(d, step);
    if (!to)
      return tl::unexpected(to.error());
    dispatch made{.participant = *to, .step = step, .task = d.task};
    if (d.resources)
      made.terms = turn_terms{.limited = true, .resources = *d.resources};
    return give(std::move(made));
  }

  result<decision> operator()(const protocol::handoff& h) {
    const auto giver = now_.who->orchestrator;
    const auto found = find_receiver(*now_.spec, *now_.who, now_.participants,
                                     giver, h.to);
    if (!found)
      return tl::unexpected(found.error());
    if (checks::hands_off_again(handed_))
      return fail(errc::not_allowed, "one decision hands off once",
                  "one_handoff_per_turn");
    if (depth_max(*now_.spec) < 1)
      return fail(errc::not_allowed, "handoff: session.max_handoff_depth is 0",
                  "handoff_depth_max");
    return give({.participant = *found,
                 .task = h.instructions,
                 .terms = turn_terms{.handed_by = giver,
                                     .depth = 1,
                                     .instructions = h.instructions,
                                     .reason = h.reason}});
  }

  result<decision> operator()(const protocol::ask_decision& a) {
    auto person = no_participant;
    if (!a.participant.empty()) {
      person = find_participant(*now_.spec, a.participant);
      if (person == no_participant)
        return fail(errc::not_allowed,
                    "ask names an unknown participant: " + a.participant);
      if (!is_human(person))
        return fail(errc::not_allowed,
                    "ask: participant " + a.participant + " is no person");
    } else {
      for (participant_index i = 0; i < now_.participants.size(); ++i)
        if (is_human(i) && is_free(i)) {
          person = i;
          break;
        }
      if (person == no_participant)
        return fail(errc::not_allowed, "ask: no person is free");
    }
    return give({.participant = person,
                 .task = a.task,
                 .terms = turn_terms{.limited = true}});
  }

  result<decision> operator()(const protocol::broadcast_decision& b) {
    const auto& all = now_.participants;
    const bool heard = std::ranges::any_of(all, [&](auto& p) {
      return p.can_act() && &p != &all[now_.who->initiator];
    });
    if (!heard)
      return fail(errc::not_allowed, "broadcast: nobody is left to ask");
    if (!busy_.empty() || std::exchange(broadcasts_, true))
      return fail(errc::not_allowed, "broadcast: it goes alone, without turns "
                                     "or other broadcasts beside it");
    return broadcast{.round = now_.broadcasts + 1, .task = b.task};
  }

  result<decision> operator()(const protocol::close_step_decision& c) const {
    const auto step = ready_step(c.step_id);
    if (step == no_step)
      return fail(errc::not_allowed, "step " + c.step_id + " is not ready");
    return close_step{.step = step,
                      .status = c.skip ? protocol::step_status::skipped
                                       : protocol::step_status::failed,
                      .reason = c.reason};
  }

  result<decision> operator()(const protocol::complete_decision& c) const {
    return complete{.success = c.success,
                    .condition = c.success ? "orchestrator_complete"
                                           : "orchestrator_gave_up",
                    .observed = c.reason};
  }

  result<decision> operator()(const protocol::wait_decision&) const {
    return fail(errc::not_allowed,
                "wait: no turn is open that could end the waiting");
  }

private:
  [[nodiscard]] bool is_free(participant_index i) const {
    return now_.participants[i].can_act() && !busy_.contains(i);
  }

  [[nodiscard]] bool is_human(participant_index i) const {
    return now_.spec->collab.participants[i].kind
           == protocol::participant_kind::human;
  }

  [[nodiscard]] step_index ready_step(const std::string& id) const {
    const auto step = now_.plan->find(id);
    const auto& ready = now_.plan->ready();
    return std::ranges::find(ready, step) == ready.end() ? no_step : step;
  }

  /// A resource of the step that another one holds, or would by what is
  /// decided with it; null: none.
  [[nodiscard]] const std::string* clash_of(const std::string& step_id) const {
    const auto step = step_id.empty() ? no_step : now_.plan->find(step_id);
    if (step == no_step || now_.plan->state(step).live)
      return nullptr;
    if (const auto* held = now_.plan->held_resource(step))
      return held;
    for (const auto& name : now_.plan->state(step).resources)
      if (used_.contains(name))
        return &name;
    return nullptr;
  }

  /// Who takes a step that is nobody's: the next in the roster's order, the
  /// orchestrator only where it is alone.
  [[nodiscard]] participant_index next_hand() const {
    const auto count = static_cast<participant_index>(now_.participants.size());
    const auto last = now_.last_turn;
    for (participant_index n = 0; n < count; ++n) {
      const auto i = last == no_participant ? n : (last + 1 + n) % count;
      if (i != now_.who->orchestrator && is_free(i))
        return i;
    }
    return now_.who->orchestrator;
  }

  [[nodiscard]] result<participant_index>
  find_target(const protocol::dispatch_decision& wanted,
              step_index step) const {
    if (!wanted.participant.empty()) {
      const auto found = find_participant(*now_.spec, wanted.participant);
      if (found == no_participant)
        return fail(errc::not_allowed, "dispatch names an unknown participant: "
                                         + wanted.participant);
      return found;
    }
    if (!wanted.role.empty()) {
      const auto all = participants_for(*now_.spec, *now_.who, wanted.role);
      const auto usable
        = std::ranges::find_if(all, [this](auto i) { return is_free(i); });
      if (usable == all.end())
        return fail(errc::not_allowed, "nobody who can act has the role "
                                         + wanted.role + " and is free");
      return *usable;
    }
    if (step == no_step)
      return fail(errc::not_allowed,
                  "dispatch names neither participant nor role nor step");
    const auto assigned = now_.plan->state(step).assigned;
    return assigned != no_participant ? assigned : next_hand();
  }

  [[nodiscard]] result<decision> give(dispatch&& d) {
    const auto& to = now_.participants[d.participant];
    const auto name = [&to] { return std::string{to.id}; };
    if (!to.can_act())
      return fail(errc::not_allowed, "participant " + name() + " cannot act");
    if (busy_.contains(d.participant))
      return fail(errc::not_allowed,
                  "participant " + name() + " has a turn already");
    if (broadcasts_)
      return fail(errc::not_allowed,
                  "a turn and a broadcast cannot be open at once");
    // Who holds the decision holds its terms.
    if (auto why = resources_.add(*d.terms))
      return fail(errc::not_allowed,
                  "a turn of " + name() + " cannot be open now: " + *why,
                  "resources_overlap");
    busy_.insert(d.participant);
    return std::move(d);
  }

  const decision_context& now_;
  boost::container::small_flat_set<participant_index, few_turns> busy_;
  std::set<std::string_view> used_; ///< resources of steps decided on
  open_resources resources_;
  bool handed_ = false;
  bool broadcasts_ = false;
};

/// The step that a decision is about, if it is about one.
step_index step_of(const decision& what) {
  if (const auto* turn = std::get_if<dispatch>(&what))
    return turn->step;
  if (const auto* closing = std::get_if<close_step>(&what))
    return closing->step;
  return no_step;
}

} // namespace

result<std::vector<decision>>
resolve(const std::vector<protocol::decision>& wanted,
        const decision_context& now) {
  if (wanted.empty())
    return fail(errc::not_allowed, "the reply decides nothing");
  resolver reading{now};
  std::vector<decision> all;
  all.reserve(wanted.size());
  std::set<step_index> steps;
  for (const auto& w : wanted) {
    if (std::holds_alternative<protocol::wait_decision>(w)
        && (reading.turns_open() > 0 || now.has_news))
      continue;
    auto resolved = std::visit(reading, w);
    if (!resolved)
      return tl::unexpected(std::move(resolved).error());
    const auto step = step_of(*resolved);
    if (step != no_step && !steps.insert(step).second)
      return fail(errc::not_allowed, "step " + now.plan->step(step).step_id
                                       + " is decided on twice");
    all.push_back(std::move(*resolved));
  }
  // A broadcast takes the ready steps along, so those to be closed go first.
  if (all.size() > 1)
    std::ranges::stable_partition(all, [](const decision& d) {
      return std::holds_alternative<close_step>(d);
    });
  return all;
}

} // namespace convene::session
