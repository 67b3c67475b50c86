#include <convene/protocol/documents/described_codec.hpp>
#include <convene/protocol/workflow/describe_workflow.hpp>
#include <convene/protocol/workflow/run_payloads.hpp>

namespace convene::protocol {

CONVENE_DESCRIBE(run_fork, CAMEL(run_id, run_text), CAMEL(from_seq, from_zero),
                 MEMBER(inherited, from_zero), MEMBER(mode),
                 CAMEL(ids_of, run_text));

CONVENE_DESCRIBE(run_parent, CAMEL(run_id, run_text), CAMEL(node_id, run_text),
                 DEFAULTED(depth, from_one),
                 v.sparse("detached", x.is_detached));

CONVENE_DESCRIBE(run_failure, MEMBER(code), MEMBER(message), MEMBER(details),
                 MEMBER(retryable));

CONVENE_DESCRIBE(run_started, CAMEL(workflow_id), CAMEL(workflow_version),
                 CAMEL(workflow_digest), DEFAULTED(inputs),
                 SPARSE(configurable), SPARSE(tags), SPARSE(metadata),
                 MEMBER(transport), CAMEL(callback_digest),
                 CAMEL(conversation_primitive), MEMBER(parent),
                 CAMEL(forked_from), OTHERS);

CONVENE_DESCRIBE(run_completed, MEMBER(reason), CAMEL(duration_ms), OTHERS);

CONVENE_DESCRIBE(run_failed, MEMBER(error), CAMEL(failed_node_id),
                 CAMEL(duration_ms), OTHERS);

CONVENE_DESCRIBE(run_cancelled, MEMBER(reason), CAMEL(cancelled_by),
                 CAMEL(duration_ms), OTHERS);

CONVENE_DESCRIBE(run_paused, MEMBER(reason), MEMBER(policy), OTHERS);

CONVENE_DESCRIBE(node_started, CAMEL(node_id, run_text),
                 CAMEL(type_id, run_text), DEFAULTED(attempt, from_zero),
                 CAMEL(due_at, date_time), CAMEL(session_id), OTHERS);

CONVENE_DESCRIBE(node_completed, CAMEL(node_id, run_text), MEMBER(outputs),
                 CAMEL(duration_ms), OTHERS);

CONVENE_DESCRIBE(node_failed, CAMEL(node_id, run_text), MEMBER(error),
                 MEMBER(attempts), OTHERS);

CONVENE_DESCRIBE(node_noted, CAMEL(node_id, run_text), MEMBER(reason), OTHERS);

CONVENE_DESCRIBE(node_dispatched, CAMEL(node_id, run_text),
                 CAMEL(workflow_id, run_text), CAMEL(child_run_id, run_text),
                 OTHERS);

CONVENE_DESCRIBE(variable_changed, MEMBER(name), MEMBER(value),
                 CAMEL(node_id, run_text), CAMEL(child_run_id, run_text),
                 CAMEL(child_variable), OTHERS);

CONVENE_DESCRIBE(channel_written, MEMBER(channel), MEMBER(value),
                 MEMBER(reducer), CAMEL(written_at, date_time),
                 CAMEL(node_id, run_text));

CONVENE_DESCRIBE(cap_breached, MEMBER(kind), MEMBER(limit), MEMBER(observed),
                 CAMEL(node_id, run_text), OTHERS);

CONVENE_DESCRIBE(orchestrator_decided, CAMEL(agent_id, agent_text),
                 MEMBER(decision), OTHERS);

CONVENE_DESCRIBE(replay_diverged, CAMEL(source_run_id, run_text),
                 CAMEL(at_sequence, from_zero),
                 CAMEL(original_event_id, run_text),
                 CAMEL(replay_event_id, run_text),
                 v.member("divergenceKind", x.kind),
                 v.member("divergencePoint", x.point), MEMBER(reason));

CONVENE_CODEC(run_started);
CONVENE_CODEC(run_completed);
CONVENE_CODEC(run_failed);
CONVENE_CODEC(run_failure);
CONVENE_CODEC(run_cancelled);
CONVENE_CODEC(run_paused);
CONVENE_CODEC(node_started);
CONVENE_CODEC(node_completed);
CONVENE_CODEC(node_failed);
CONVENE_CODEC(node_noted);
CONVENE_CODEC(node_dispatched);
CONVENE_CODEC(variable_changed);
CONVENE_CODEC(channel_written);
CONVENE_CODEC(cap_breached);
CONVENE_CODEC(orchestrator_decided);
CONVENE_CODEC(replay_diverged);
CONVENE_CODEC(run_fork);
CONVENE_CODEC(run_parent);

} // namespace convene::protocol
