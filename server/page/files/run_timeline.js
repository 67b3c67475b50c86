// One row of a run's timeline for each event that people want to see.
import {valueText} from './dom.js';
import {askedWords} from './reply.js';

const json = (value) => value === undefined || Object.keys(value ?? {}).length === 0
    ? '' : valueText(value);

const turnRow = (turn, what, more = {}) =>
    ({who: turn?.from, what, turn: turn?.turnIndex, text: valueText(turn?.content ?? ''), ...more});

const requestText = ({data = {}}) =>
    [data.title, data.description, ...[data.questions].flat().map((each) => each?.question)]
        .filter((each) => typeof each === 'string').join('\n');

const rows = {
  'run.started': (payload) => ({what: 'begins', text: json(payload.inputs)}),
  'run.paused': (payload) => ({what: 'is paused', text: payload.reason, tone: 'odd'}),
  'run.resumed': (payload) => ({what: 'resumed', text: payload.reason, tone: 'good'}),
  'run.completed': () => ({what: 'completed', tone: 'good'}),
  'run.failed': (payload) => ({what: 'failed', tone: 'bad',
                               text: payload.error?.message ?? payload.error?.code}),
  'run.cancelled': (payload) => ({what: 'cancelled', tone: 'bad', text: payload.reason,
                                  note: payload.cancelledBy && `by ${payload.cancelledBy}`}),
  'node.started': (payload) => ({what: 'starts', quiet: true, text: payload.typeId}),
  'node.completed': () => ({what: 'completed', tone: 'good'}), // its outputs are with the nodes
  'node.failed': (payload) => ({what: 'failed', tone: 'bad',
                                text: payload.error?.message ?? payload.error?.code}),
  'node.retried': () => ({what: 'is tried again', tone: 'odd'}),
  'node.skipped': (payload) => ({what: 'skipped', text: payload.reason, quiet: true}),
  'node.cancelled': (payload) => ({what: 'cancelled', text: payload.reason, tone: 'bad'}),
  'interrupt.requested': (payload) => ({what: askedWords(payload.kind), tone: 'odd',
                                        text: requestText(payload)}),
  'interrupt.resolved': (payload) => ({what: 'is answered',
                                       text: String(payload.kind).startsWith('conversation')
                                                 ? '' : json(payload.resumeValue),
                                       note: payload.resolvedBy && `by ${payload.resolvedBy}`}),
  'conversation.opened': (payload) => turnRow(payload.initialTurn, 'opens the conversation'),
  'conversation.exchanged': (payload) => turnRow(payload.turn, 'says'),
  'conversation.closed': (payload) => turnRow(payload.finalTurn, 'closes the conversation', {
    note: payload.outcome === undefined || payload.outcome === null
              ? '' : `outcome: ${valueText(payload.outcome)}`}),
  'channel.written': (payload) => ({what: `writes to the channel ${payload.channel}`, quiet: true,
                                    text: payload.reducer === 'message' ? ''
                                                                        : valueText(payload.value)}),
  'cap.breached': (payload) => ({what: 'a bound is reached', tone: 'bad',
                                 text: `${payload.kind}: ${payload.observed} of ${payload.limit}`}),
  'replay.diverged': (payload) => ({what: 'differs from its source', tone: 'odd',
                                    text: `from event ${payload.atSequence} on`}),
};

/// {at, who, what, text, note, turn, tone, quiet}; undefined: nothing to show.
/// Without `who`, it is the run itself.
export function runRowOf(event) {
  const payload = event.payload ?? {};
  return Object.hasOwn(rows, event.type)
      ? {who: event.nodeId ?? payload.nodeId, ...rows[event.type](payload), at: event.timestamp}
      : undefined;
}
