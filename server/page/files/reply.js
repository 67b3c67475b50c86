// From what a person has filled in to a reply, in the words of the protocol.
// What the terminal offers for a kind of request is offered here, too.

/// What identifies a question: those of a broadcast have one token.
export const keyOf = ({token, participant, run, interruptId}) =>
    run ? `${run.runId} ${interruptId}` : `${token} ${participant.participant_id}`;

/// A short mark of a question's token, which says nothing of the rest: FNV-1a.
export function markOf({token}) {
  let hash = 0x811c9dc5;
  for (const each of new TextEncoder().encode(token)) {
    hash = Math.imul(hash ^ each, 0x01000193) >>> 0;
  }
  return hash.toString(16).padStart(8, '0');
}

/// 'turn' (also for a broadcast), 'vote' (also for an escalation), 'decision'.
export function formOf(question) {
  switch (question.wanted) {
    case 'vote':
    case 'escalation':
      return 'vote';
    case 'decision':
      return 'decision';
    default:
      return 'turn';
  }
}

/// Whether it can only be approved or rejected.
export const isApproval = (question) =>
    question.wanted === 'turn' && question.duty === 'approver';

/// What is wanted of the person, in words.
export const wantedOf = ({approval, wanted}) => approval ? 'your approval is wanted'
                                                         : wantedWords[wanted] ?? 'a question';

export const wantedWords = {
  turn: 'it is your turn',
  broadcast: 'you are asked in a broadcast',
  decision: 'you decide what happens next',
  vote: 'your vote is wanted',
  escalation: 'you decide',
};

const askedFor = new Map([
  ['approval', 'an approval is wanted'],
  ['clarification', 'something is to be clarified'],
  ['conversation', 'a conversation is held'],
  ['conversation.start', 'a conversation is held'],
  ['external-event', 'an event from outside is awaited'],
]);

/// What a node of a run asks for, also of a kind that has no form of its own.
export const askedWords = (kind) => askedFor.get(kind) ?? 'an answer is wanted';

const withWord = (word, text) => text === '' ? word : `${word}: ${text}`;

export const declined = (text) => ({status: 'declined', content: text});

export const approved = (text, more = {}) => ({...more, content: withWord('APPROVED', text)});

export function rejected(question, text, more = {}) {
  const content = withWord('REJECTED', text);
  return isApproval(question)
      ? {status: 'failed', content, error: {code: 'rejected', message: text || 'a person rejected it'}}
      : {...more, content};
}

export const votedFor = (question, participant) =>
    ({vote: {conflict_id: question.dispute.conflict_id, for: participant}});

/// `what` is dispatch, broadcast, complete or wait.
export function decided(what, participant, text) {
  const bodies = {
    dispatch: {participant, ...(text && {task: text})},
    broadcast: {...(text && {task: text})},
    complete: {...(text && {reason: text})},
    wait: {},
  };
  return {decision: [{[what]: bodies[what]}]};
}

/// A write of `text` over `resource` as it was shown; `version` 0: a new one.
/// Where there is JSON that is no text, JSON is written.
export function writeOf(resource, text) {
  const isJson = resource.version > 0 && !resource.deleted && typeof resource.value !== 'string';
  let value = text;
  if (isJson) {
    try {
      value = JSON.parse(text);
    } catch {
      throw new SyntaxError(
          `${resource.resource_type}/${resource.resource_id} is JSON, and this text is not`);
    }
  }
  return {resource_type: resource.resource_type, resource_id: resource.resource_id,
          base_version: resource.version, value};
}

/// What others have said since this person did.
export function saidSince({dialog = [], participant}) {
  const own = dialog.findLastIndex((each) => each.participant === participant.participant_id);
  return dialog.slice(own + 1);
}

/// Why these parts make no answer to a turn; undefined: they do.
export function lacking({content = '', writes = [], handoff, end}) {
  if (content.trim() !== '' || writes.length > 0 || handoff !== undefined || end) {
    return undefined;
  }
  return 'the answer is empty; to decline, use Decline';
}
