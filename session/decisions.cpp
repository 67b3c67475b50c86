// From the orchestrator's decisions, which name people and steps by id, to the
// policy's, or to the reason why they cannot be carried out.

#include <convene/session/append.hpp>

#include <algorithm>
#include <set>

namespace convene::session {
namespace {

using protocol::errc;
using protocol::fail;

template <class... Fs>
struct overloaded : Fs... {
  using Fs::operator()...;
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

participant_index machine::next_hand() const {
  const auto count = static_cast<participant_index>(participants_.size());
  const auto last = turn_.turn_index;
  for (participant_index n = 0; n < count; ++n) {
    const auto i = last == no_participant ? n : (last + 1 + n) % count;
    if (i != roster_.orchestrator && participants_[i].can_act())
      return i;
  }
  return roster_.orchestrator;
}

protocol::result<participant_index>
machine::find_target(const protocol::dispatch_decision& wanted,
                     step_index step) const {
  auto found = no_participant;
  if (!wanted.participant.empty()) {
    found = find_participant(spec_, wanted.participant);
    if (found == no_participant)
      return fail(errc::not_allowed, "dispatch names an unknown participant: "
                                       + wanted.participant);
  } else if (!wanted.role.empty()) {
    const auto all = participants_for(spec_, roster_, wanted.role);
    const auto usable = std::ranges::find_if(all, [this](auto i) {
      return participants_[i].can_act();
    });
    if (usable == all.end())
      return fail(errc::not_allowed,
                  "nobody who can act has the role " + wanted.role);
    found = *usable;
  } else if (step != no_step) {
    const auto assigned = plan_.state(step).assigned;
    found = assigned != no_participant ? assigned : next_hand();
  }
  if (found == no_participant)
    return fail(errc::not_allowed,
                "dispatch names neither participant nor role nor step");
  if (!participants_[found].can_act())
    return fail(errc::not_allowed, "participant "
                                     + std::string{participants_[found].id}
                                     + " cannot act");
  return found;
}

protocol::result<decision>
machine::resolve(const protocol::decision& wanted) const {
  auto ready_step = [this](const std::string& id) {
    const auto step = plan_.find(id);
    return std::ranges::find(plan_.ready(), step) == plan_.ready().end()
             ? no_step
             : step;
  };
  return std::visit(
    overloaded{
      [&](const protocol::dispatch_decision& d) -> protocol::result<decision> {
        const auto step = d.step_id.empty() ? no_step : ready_step(d.step_id);
        if (!d.step_id.empty() && step == no_step)
          return fail(errc::not_allowed, "step " + d.step_id + " is not ready");
        const auto to = find_target(d, step);
        if (!to)
          return tl::unexpected(to.error());
        return dispatch{.participant = *to, .step = step, .task = d.task};
      },
      [&](const protocol::broadcast_decision& b) -> protocol::result<decision> {
        const bool heard = std::ranges::any_of(participants_, [&](auto& p) {
          return p.can_act() && &p != &participants_[roster_.initiator];
        });
        if (!heard)
          return fail(errc::not_allowed, "broadcast: nobody is left to ask");
        return broadcast{.round = tally_.broadcasts + 1, .task = b.task};
      },
      [&](
        const protocol::close_step_decision& c) -> protocol::result<decision> {
        const auto step = ready_step(c.step_id);
        if (step == no_step)
          return fail(errc::not_allowed, "step " + c.step_id + " is not ready");
        return close_step{.step = step,
                          .status = c.skip ? protocol::step_status::skipped
                                           : protocol::step_status::failed,
                          .reason = c.reason};
      },
      [&](const protocol::complete_decision& c) -> protocol::result<decision> {
        return complete{.success = c.success,
                        .condition = c.success ? "orchestrator_complete"
                                               : "orchestrator_gave_up",
                        .observed = c.reason};
      },
      [&](const protocol::wait_decision&) -> protocol::result<decision> {
        return fail(errc::not_allowed,
                    "wait: no turn is open that could end the waiting");
      },
      [&](
        const protocol::unsupported_decision& u) -> protocol::result<decision> {
        return fail(errc::unsupported,
                    "this version cannot act on the decision `" + u.name + "`",
                    u.name + "_not_supported");
      }},
    wanted);
}

protocol::result<std::vector<decision>>
machine::resolve(const std::vector<protocol::decision>& wanted) const {
  if (wanted.empty())
    return fail(errc::not_allowed, "the reply decides nothing");
  std::vector<decision> all;
  std::set<step_index> steps;
  std::size_t asks = 0;
  for (const auto& w : wanted) {
    auto resolved = resolve(w);
    if (!resolved)
      return tl::unexpected(std::move(resolved).error());
    asks += std::holds_alternative<dispatch>(*resolved)
            || std::holds_alternative<broadcast>(*resolved);
    const auto step = step_of(*resolved);
    if (step != no_step && !steps.insert(step).second)
      return fail(errc::not_allowed,
                  "step " + plan_.step(step).step_id + " is decided on twice");
    all.push_back(std::move(*resolved));
  }
  // A broadcast takes the ready steps along, so those to be closed go first.
  std::ranges::stable_partition(all, [](const decision& d) {
    return std::holds_alternative<close_step>(d);
  });
  if (asks > 1)
    return fail(errc::unsupported,
                "this version gives one turn at a time; decide on the next "
                "when this one has closed",
                "parallel_dispatch_not_supported");
  return all;
}

} // namespace convene::session
