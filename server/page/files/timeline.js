// One row of the timeline for each event that people want to see.
import {actionWords, reasonWords, spentWords} from './model.js';

const good = ['completed', 'approved'];
const bad = ['failed', 'timed_out', 'rejected'];

const toneOf = (status) => good.includes(status) ? 'good' : bad.includes(status) ? 'bad' : 'odd';
const spoken = (word) => String(word ?? '').replaceAll('_', ' ');
const resourceOf = (payload) => `${payload.resource_type}/${payload.resource_id}`;
const listed = (names = []) => names.join(', ');

/// Whether an answer to a broadcast was not needed any more: nobody failed.
const isUnneeded = (payload) =>
  ['quorum_reached', 'session_ended', 'suspended'].includes(payload.error?.code);

/// What a decision says.
function decisionText(reply = {}) {
  const texts = (reply.decision ?? []).map((each) => {
    const [[what, of]] = Object.entries(each);
    return [what, of.participant ?? of.role ?? of.to, of.task ?? of.instructions ?? of.reason]
        .filter(Boolean).join(': ');
  });
  return [...texts, reply.content].filter(Boolean).join('\n');
}

function answerRow(who, payload, number) {
  const reply = payload.reply ?? {};
  const error = payload.error?.message ?? reply.error?.message;
  return {
    turn: number,
    who,
    what: payload.status === 'completed' ? 'says' : spoken(payload.status),
    tone: toneOf(payload.status),
    text: [reply.content || (payload.status === 'completed' ? payload.output_summary : ''), error]
        .filter(Boolean).join('\n'),
    note: [reply.end ? 'votes to end the session' : '',
           spentWords((reply.usage?.prompt_tokens ?? 0) + (reply.usage?.completion_tokens ?? 0),
                      reply.usage?.cost_microusd ?? 0)].filter(Boolean).join('; '),
  };
}

const inputRows = {
  decision: (payload) => ({who: payload.participant_id, what: 'decides',
                           text: decisionText(payload.reply),
                           note: payload.refused && `refused: ${payload.refused}`,
                           tone: payload.refused ? 'bad' : ''}),
  vote: (payload) => ({who: payload.participant_id,
                       what: payload.reply?.vote ? `votes for ${payload.reply.vote.for}` : 'abstains'}),
  escalation: (payload) => ({who: payload.participant_id,
                             what: payload.reply?.vote ? `decides for ${payload.reply.vote.for}`
                                                       : 'does not decide'}),
  suspend: (payload) => ({what: 'suspended', text: payload.reason, tone: 'odd'}),
  resume: () => ({what: 'resumed', tone: 'good'}),
  cancel: (payload) => ({what: 'is cancelled', text: payload.reason, tone: 'bad'}),
  stop: (payload) => ({what: 'is stopped', text: payload.reason, tone: 'odd'}),
  participant_down: (payload) => ({who: payload.participant_id, what: 'is lost',
                                   text: payload.reason, tone: 'bad'}),
  participant_up: (payload) => ({who: payload.participant_id, what: 'is back', tone: 'good'}),
  fault: (payload) => ({what: 'has a fault', text: payload.reason, tone: 'bad'}),
  decision_timed_out: (payload) => ({who: payload.participant_id, what: 'has not decided in time',
                                     tone: 'bad'}),
  vote_timed_out: (payload) => ({who: payload.participant_id, what: 'has not voted in time',
                                 tone: 'bad'}),
  escalation_timed_out: (payload) => ({who: payload.participant_id,
                                       what: 'has not decided the conflict in time', tone: 'bad'}),
};

const rows = {
  MAPSessionStarted: (payload) => ({what: 'begins', text: payload.spec?.task ?? payload.purpose}),
  MAPTurnDispatched: (payload) => ({turn: payload.turn_number, who: payload.participant_id,
                                    what: payload.duty ? `has the token, as ${payload.duty}`
                                                       : 'has the token',
                                    text: payload.task, quiet: true}),
  MAPTurnCompleted: (payload) => answerRow(payload.participant_id, payload, payload.turn_number),
  MAPBroadcastSent: (payload) => ({who: payload.broadcaster_participant,
                                   what: `asks ${payload.target_count}`,
                                   text: payload.message?.task, quiet: true}),
  MAPBroadcastReceived: (payload) => answerRow(payload.receiver_participant, {
    ...payload, status: isUnneeded(payload) ? 'cancelled' : payload.status,
  }),
  MAPConflictDetected: (payload) => ({who: listed(payload.conflicting_participants),
                                      what: 'in conflict', tone: 'bad',
                                      text: `${spoken(payload.conflict_type)}: ${resourceOf(payload)}`}),
  MAPConflictResolved: (payload) => ({who: payload.winning_participant, tone: 'good',
                                      what: payload.winning_participant ? 'wins the conflict'
                                                                        : 'conflict resolved',
                                      text: `${payload.resolution_strategy}: ${payload.reason ?? ''}`}),
  MAPHandoffInitiated: (payload) => ({turn: payload.turn_number, who: payload.from_participant,
                                      what: `hands over to ${payload.to_participant ?? payload.to_role}`,
                                      text: payload.instructions ?? payload.reason}),
  MAPSessionCompleted: (payload) => ({what: payload.status, tone: toneOf(payload.status),
                                      text: reasonWords(payload.stop_reason)}),
  resource_written: (payload) => ({turn: payload.turn_number, who: payload.participant_id,
                                   what: payload.op === 'delete' ? 'deletes' : 'writes', quiet: true,
                                   text: `${resourceOf(payload)}, version ${payload.version}`}),
  write_refused: (payload) => ({turn: payload.turn_number, who: payload.participant_id,
                                what: 'may not write', tone: 'bad',
                                text: `${resourceOf(payload)}: ${payload.error?.message ?? ''}`}),
  action_started: (payload) => ({turn: payload.turn_number, who: payload.participant_id,
                                 what: 'begins', text: actionWords(payload), quiet: true}),
  action_ended(payload) {
    const {status, error, output} = payload.result ?? {};
    if (typeof output?.approved === 'boolean' && payload.position?.includes('.approval.')) {
      return {turn: payload.turn_number, who: output.by, tone: output.approved ? 'good' : 'bad',
              what: output.approved ? 'approved' : 'refused',
              text: [`${output.call} of ${payload.participant_id}`, output.reason]
                        .filter(Boolean).join(': ')};
    }
    return status === 'completed' ? undefined
        : {turn: payload.turn_number, who: payload.participant_id, tone: 'bad',
           what: `action ${spoken(status)}`, text: error?.message ?? error?.code};
  },
  budget_exceeded: (payload) => ({who: payload.participant_id, what: 'used up the budget',
                                  tone: 'bad',
                                  text: `${payload.budget}: ${payload.used} of ${payload.limit}`}),
  confirm_resolved: (payload, event) => ({what: `plan ${spoken(payload.to_status)}`,
                                          tone: toneOf(payload.to_status), text: payload.reason,
                                          quiet: event.stage_status === 'completed'}),
  step_status_changed: (payload, event) =>
      ['completed', 'failed', 'skipped'].includes(payload.to_status)
          ? {what: `step ${payload.to_status}`, tone: toneOf(payload.to_status),
             text: event.stage_name, quiet: true}
          : undefined,
  session_input: (payload) => Object.hasOwn(inputRows, payload.input)
      ? inputRows[payload.input](payload) : undefined,
};

/// {at, who, what, text, note, turn, tone, quiet}; undefined: nothing to show.
/// Without `who`, it is the session itself.
export function rowOf(event) {
  const row = Object.hasOwn(rows, event.event_type)
                  ? rows[event.event_type](event.payload ?? {}, event)
                  : undefined;
  return row === undefined ? undefined : {...row, at: event.timestamp};
}
