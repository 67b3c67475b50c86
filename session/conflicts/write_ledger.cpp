#include <convene/session/conflicts/dispute_log.hpp>
#include <convene/session/conflicts/write_ledger.hpp>

namespace convene::session {

void write_ledger::accept(const writing& by,
                          const protocol::resource_write& what,
                          const written& made, step_index step, bool claimed,
                          const won_conflict& won) {
  const auto name = name_of(what);
  requests_->note_write(by.who);
  const auto was_written = resources_->is_written(name);
  const auto after = resources_->add(
    name, made.value,
    {.participant = by.who, .turn_number = by.turn_number, .token = by.token},
    requests_->oldest_revision(), won.replaced);
  // A write on another base than the one that stood is logged by its result.
  // And a step's, which is more than what its writer says.
  const bool as_it_came = won.id.is_nil() && step == no_step;
  const auto op = as_it_came       ? what.op
                  : after->deleted ? protocol::write_op::remove
                                   : protocol::write_op::put;
  const auto* value = op == protocol::write_op::remove ? nullptr
                      : as_it_came                     ? &what.value
                                                       : &after->value;
  const auto change = producers_.note(name, by.step, claimed, was_written,
                                      after->deleted);
  log_->append(
    protocol::resource_written{.act = act_of(*who_, by, name),
                               .graph_id = who_->scenario().collab.context_id,
                               .change = change.node,
                               .delta = change.delta,
                               .step_id = plan_->step_id(by.step),
                               .version = after->version,
                               .base_version = what.base_version,
                               .op = op,
                               .value = value,
                               .conflict_id = won.id,
                               .input = by.input && won.id.is_nil()});
  if (step != no_step)
    plan_->take_write(step, *after);
}

} // namespace convene::session
