// The form for an answer. What is filled in stays until the answer is taken.
import {element, name, valueText} from './dom.js';
import {button, choice, chosen, field} from './fields.js';
import * as replies from './reply.js';
import {Sender, sendForm} from './send_form.js';

/// Texts of answers that were begun, by question, while the page is open.
const drafts = new Map();

function textField(label, question, hint = '') {
  const key = replies.keyOf(question);
  const area = element('textarea', {id: 'answer', rows: 6, dir: 'auto',
                                    value: drafts.get(key) ?? ''});
  area.addEventListener('input', () => drafts.set(key, area.value));
  return {area, node: field(label, area, hint)};
}

/// Fields that change shared resources. Returns {node, writes}.
function resourceFields(question) {
  const {changes = [], resources = changes} = question.workspace ?? {};
  const may = question.may_write?.map((each) => `${each.resource_type}/${each.resource_id}`);
  if (may?.length === 0) {
    return {node: '', writes: () => []};
  }
  const edits = resources.map((resource, index) => {
    const called = `${resource.resource_type}/${resource.resource_id}`;
    const before = resource.deleted ? '' : valueText(resource.value);
    const area = element('textarea', {id: `resource-${index}`, rows: 6, dir: 'auto', value: before,
                                      className: 'code', spellcheck: false});
    return {resource, called, before, area};
  }).filter(({called}) => may === undefined || may.includes(called));
  const added = {
    type: element('input', {id: 'new-type', value: 'file', autocomplete: 'off'}),
    id: element('input', {id: 'new-id', autocomplete: 'off', dir: 'auto'}),
    area: element('textarea', {id: 'new-value', rows: 6, className: 'code', dir: 'auto',
                               spellcheck: false}),
  };
  const node = element('details', {className: 'panel'},
      element('summary', {}, 'Change shared resources'),
      edits.map(({called, area}) => field(name(called), area)),
      element('fieldset', {}, element('legend', {}, 'Another resource'),
              field('Type', added.type), field('Name', added.id), field('Content', added.area)));
  const writes = () => {
    const made = edits.filter(({area, before}) => area.value !== before)
                      .map(({resource, area}) => replies.writeOf(resource, area.value));
    if (added.id.value.trim() !== '') {
      made.push(replies.writeOf({resource_type: added.type.value.trim(),
                                 resource_id: added.id.value.trim(), version: 0},
                                added.area.value));
    } else if (added.area.value !== '') {
      throw new SyntaxError('the other resource has no name');
    }
    return made;
  };
  return {node, writes};
}

function turnFields(question, send) {
  const approval = replies.isApproval(question);
  const text = textField(approval ? 'What you say (may be empty)' : 'What you say', question);
  const end = element('input', {type: 'checkbox', id: 'end'});
  const to = element('input', {id: 'handoff', autocomplete: 'off', dir: 'auto'});
  const resources = approval ? {node: '', writes: () => []} : resourceFields(question);
  const more = () => ({
    ...(resources.writes().length > 0 && {writes: resources.writes()}),
    ...(end.checked && {end: true}),
  });
  const answer = () => {
    const receiver = to.value.trim();
    const content = text.area.value;
    const made = receiver === '' ? {content, ...more()}
                                 : {...more(), handoff: {to: receiver, instructions: content}};
    const lacks = replies.lacking(made);
    if (lacks) {
      throw new SyntaxError(lacks);
    }
    return made;
  };
  const said = () => text.area.value.trim();
  const nodes = [text.node];
  if (!approval) {
    nodes.push(resources.node, element('details', {className: 'panel'},
        element('summary', {}, 'End or hand over'),
        element('div', {className: 'choice'}, end,
                element('label', {htmlFor: 'end'}, 'Vote to end the session')),
        field('Hand your turn to', to,
              'A participant or a role. Your answer then says what they are to do.')));
  }
  nodes.push(element('div', {className: 'buttons'},
      approval ? '' : button('Send', 'primary', () => send(answer, 'Your answer was sent.')),
      button('Approve', 'good', () => send(() => replies.approved(said(), more()), 'You approved it.')),
      button('Reject', 'bad', () => send(() => replies.rejected(question, said(), more()),
                                         'You rejected it.')),
      button('Decline', 'quiet', () => send(() => replies.declined(said()),
                                            'You declined to answer.'))));
  return nodes;
}

function voteFields(question, send) {
  const {sides} = question.dispute;
  const set = element('fieldset', {}, element('legend', {}, 'Which version stands?'),
      sides.map((side, index) => choice('side', index, 'The ',
          index === 0 ? 'version before it' : index === sides.length - 1 ? 'new version' : 'version',
          ', by ', name(side.participant))));
  const vote = () => {
    const side = sides[chosen(set, 'side')];
    if (side === undefined) {
      throw new SyntaxError('choose one of the versions');
    }
    return replies.votedFor(question, side.participant);
  };
  return [set, element('div', {className: 'buttons'},
      button('Send', 'primary', () => send(vote, 'Your vote was sent.')),
      button('Decline', 'quiet', () => send(() => replies.declined(''), 'You declined to answer.')))];
}

function decisionFields(question, send) {
  const whom = element('select', {id: 'whom', 'aria-label': 'Who gets the turn'},
      question.decide.participants.map((each) =>
          element('option', {value: each.participant_id},
                  `${each.participant_id}${each.role_id ? ` (${each.role_id})` : ''}`)));
  const set = element('fieldset', {}, element('legend', {}, 'What happens next?'),
      choice('next', 'dispatch', 'Give a participant a turn'), whom,
      choice('next', 'broadcast', 'Ask all others at once'),
      choice('next', 'complete', 'The session is done'),
      choice('next', 'wait', 'Wait until an open turn closes'));
  whom.addEventListener('change', () => {
    set.querySelector('#next-dispatch').checked = true;
  });
  const text = textField('The task, or why', question,
                         'Without a text, the task is the step’s or the session’s.');
  const decision = () => {
    const what = chosen(set, 'next');
    if (what === undefined) {
      throw new SyntaxError('choose what happens next');
    }
    return replies.decided(what, whom.value, text.area.value.trim());
  };
  return [set, text.node, element('div', {className: 'buttons'},
      button('Send', 'primary', () => send(decision, 'Your decision was sent.')),
      button('Decline', 'quiet', () => send(() => replies.declined(text.area.value.trim()),
                                            'You declined to answer.')))];
}

const fields = {turn: turnFields, vote: voteFields, decision: decisionFields};

/// {node, focus(), setOpen(isOpen)}. `onSent` is called with what was done, in words.
export function answerForm(question, {onSent, app}) {
  const {token, participant} = question;
  const sender = new Sender(`/v1/requests/${encodeURIComponent(token)}/reply?participant=` +
                            encodeURIComponent(participant.participant_id));
  return sendForm({
    id: 'your-answer',
    title: 'Your answer',
    app,
    makeFields: (send) => fields[replies.formOf(question)](question, send),
    deliver: (reply) => sender.send(reply),
    onTaken(words) {
      drafts.delete(replies.keyOf(question));
      onSent(words);
      app.answered(question);
    },
  });
}
