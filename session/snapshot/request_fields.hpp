#pragma once

#include <convene/session/journal/effects.hpp>
#include <convene/session/snapshot/fields.hpp>

// The same for what participants are shown.

namespace convene::session {

CONVENE_FIELDS(ready_step, (step_id, description, role, assigned, attempts),
               FIELD(step_id), FIELD(description), FIELD(role), WHO(assigned),
               FIELD(attempts));
CONVENE_FIELDS(closed_view, (participant, status, step_id, content),
               WHO(participant), FIELD(status), FIELD(step_id), FIELD(content));
CONVENE_FIELDS(decision_view,
               (ready, total, open, failed, outstanding, participant, status,
                step_id, content, also, refused, responses, missed),
               FIELD(ready), f("steps_total", total), f("steps_open", open),
               f("steps_failed", failed), FIELD(outstanding), WHO(participant),
               FIELD(status), FIELD(step_id), FIELD(content),
               f("also_closed", also), FIELD(refused), FIELD(responses),
               FIELD(missed));
CONVENE_FIELDS(conflict_side, (participant, deleted, value), WHO(participant),
               FIELD(deleted), FIELD(value));
CONVENE_FIELDS(conflict_view, (id, type, resource, sides), FIELD(id),
               FIELD(type), FIELD(resource), FIELD(sides));
CONVENE_FIELDS(request,
               (kind, token, turn, sequence, kind_sequence, round, attempt,
                expires, task, duty, step_id, terms, dialog, responses, missed,
                decide, conflict, workspace, since, actions),
               FIELD(kind), FIELD(token), FIELD(turn), FIELD(sequence),
               FIELD(kind_sequence), FIELD(round), FIELD(attempt),
               TIME(expires), FIELD(task), FIELD(duty), FIELD(step_id),
               FIELD(terms), FIELD(dialog), FIELD(responses), FIELD(missed),
               FIELD(decide), FIELD(conflict), FIELD(workspace), FIELD(since),
               FIELD(actions));
CONVENE_FIELDS(delivery, (to, what), SOMEONE(to), FIELD(what));

} // namespace convene::session
