#include <convene/session/conflicts/step_writes.hpp>
#include <convene/session/conflicts/write_checks.hpp>
#include <convene/session/workspace/plan_step.hpp>

#include <algorithm>

namespace convene::session {

bool step_writes::is_of_task(participant_index who,
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

step_index step_writes::step_of(const protocol::resource_write& what) const {
  return what.resource_type == plan_step_type
           ? plan_->book().find(what.resource_id)
           : no_step;
}

std::optional<objection>
step_writes::why_not(participant_index who,
                     const protocol::resource_write& what) const {
  if (what.resource_type != plan_step_type)
    return std::nullopt;
  const auto step = step_of(what);
  if (step == no_step)
    return objection{"step_unknown",
                     "the plan has no step " + what.resource_id};
  const auto& about = who_->scenario().context.governance;
  if (about && about->locked.value_or(false))
    return objection{"locked", "the Context is locked, and a Plan with it"};
  if (what.op == protocol::write_op::remove)
    return objection{"step_removed",
                     "a step stays in its plan; write its status as skipped"};
  if (!plan_->book().state(step).live)
    return std::nullopt;
  auto holder = no_participant;
  for (const auto one : requests_->open())
    if (requests_->find(one)->step == step)
      holder = one;
  if (checks::is_of_writer(holder, who))
    return std::nullopt;
  return conflict_with(holder, "exclusive_write_violation",
                       "a turn of another participant works on the step");
}

resource_version step_writes::seen_at(const protocol::resource_write& what,
                                      const resource_version& stored) const {
  const auto step = step_of(what);
  return step == no_step
           ? stored
           : plan_->seen_at(step, static_cast<std::uint64_t>(what.base_version),
                            stored);
}

protocol::result<written>
step_writes::make(const protocol::resource_write& what,
                  const resource_version& seen) const {
  auto made = apply_write(what, seen.get());
  const auto step = step_of(what);
  if (!made || step == no_step)
    return made;
  if (auto good = plan_->judge(step, *seen, *made->value); !good)
    return protocol::fail(std::move(good).error());
  return made;
}

bool step_writes::still_fits(const protocol::resource_write& what,
                             const resource_version& seen,
                             written& made) const {
  const auto step = step_of(what);
  return step == no_step
         || (seen && made.value
             && plan_->judge(step, *seen, *made.value).has_value());
}

} // namespace convene::session
