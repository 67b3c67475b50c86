// Writes of the plan's steps: which step it is, who may write it, and what the
// write makes of it. Conflicts about them are settled like any other.

#include <convene/session/conflicts/arbiter.hpp>
#include <convene/session/mutants/mutant.hpp>
#include <convene/session/workspace/plan_step.hpp>

#include <algorithm>

namespace convene::session {

/// Whether the open request of `who` may write this: a turn with resources of
/// its own has been asked about them already, one on a step whose task names
/// any may write those, and the step. A handoff may write all that no step with
/// an open turn names.
bool arbiter::is_of_task(participant_index who,
                         const resource_name& what) const {
  const auto* open = requests_->find(who);
  if (open == nullptr || open->step == no_step || open->terms->limited)
    return true;
  const auto& named = plan_->book().state(open->step).resources;
  if (named.empty()
      || (what.type == plan_step_type && what.id == plan_->step_id(open->step)))
    return true;
  const bool is_named = std::ranges::any_of(named, [&](std::string_view word) {
    return word == what.id
           || (word.size() == what.type.size() + 1 + what.id.size()
               && word.starts_with(what.type) && word[what.type.size()] == '/'
               && word.ends_with(what.id));
  });
  return is_named
         || (is_handed_on(*open->terms)
             && !plan_->book().is_held(what.type, what.id));
}

step_index arbiter::step_of(const protocol::resource_write& what) const {
  return what.resource_type == plan_step_type
           ? plan_->book().find(what.resource_id)
           : no_step;
}

bool arbiter::admits_step(const writing& by,
                          const protocol::resource_write& what) {
  if (what.resource_type != plan_step_type)
    return true;
  const auto refuse = [&](std::string message, std::string_view rule) {
    refuse_write(by, what,
                 {.code = protocol::errc::not_allowed,
                  .message = std::move(message),
                  .rule = std::string{rule}});
    return false;
  };
  const auto step = step_of(what);
  if (step == no_step)
    return refuse("the plan has no step " + what.resource_id, "step_unknown");
  const auto& about = who_->scenario().context.governance;
  if (about && about->locked.value_or(false))
    return refuse("the Context is locked, and a Plan with it", "locked");
  if (what.op == protocol::write_op::remove)
    return refuse("a step stays in its plan; write its status as skipped",
                  "step_removed");
  if (!plan_->book().state(step).live)
    return true;
  auto holder = no_participant;
  for (const auto who : requests_->open())
    if (requests_->find(who)->step == step)
      holder = who;
  if (holder == by.who || off(mutant::step_holder_check))
    return true;
  reject(by, what, "exclusive_write_violation", holder,
         "a turn of another participant works on the step");
  return false;
}

resource_version arbiter::seen_at(const protocol::resource_write& what,
                                  const resource_version& kept) const {
  const auto step = step_of(what);
  return step == no_step
           ? kept
           : plan_->seen_at(step, static_cast<std::uint64_t>(what.base_version),
                            kept);
}

protocol::result<written> arbiter::make(const protocol::resource_write& what,
                                        const resource_version& seen) const {
  auto made = apply_write(what, seen.get());
  const auto step = step_of(what);
  if (!made || step == no_step)
    return made;
  if (auto good = plan_->judge(step, *seen, *made->value); !good)
    return protocol::fail(std::move(good).error());
  return made;
}

bool arbiter::still_fits(const protocol::resource_write& what,
                         const resource_version& seen, written& made) const {
  const auto step = step_of(what);
  return step == no_step
         || (seen && made.value
             && plan_->judge(step, *seen, *made.value).has_value());
}

} // namespace convene::session
