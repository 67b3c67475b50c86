// The form for an answer. What is filled in stays until the answer is taken.
import {Failure, post} from './api.js';
import {element, name, valueText} from './dom.js';
import * as replies from './reply.js';

/// Texts of answers that were begun, by question, while the page is open.
const drafts = new Map();

const button = (text, className, onClick) => {
  const made = element('button', {type: 'button', className}, text);
  made.addEventListener('click', onClick);
  return made;
};

const choice = (group, value, ...label) => {
  const id = `${group}-${value}`;
  return element('div', {className: 'choice'},
                 element('input', {type: 'radio', id, name: group, value}),
                 element('label', {htmlFor: id}, ...label));
};

const chosen = (node, group) => node.querySelector(`input[name="${group}"]:checked`)?.value;

function textField(label, question, hint = '') {
  const key = replies.keyOf(question);
  const area = element('textarea', {id: 'answer', rows: 6, dir: 'auto',
                                    value: drafts.get(key) ?? '',
                                    'aria-describedby': 'answer-hint'});
  area.addEventListener('input', () => drafts.set(key, area.value));
  return {area, node: element('div', {className: 'field'},
                              element('label', {htmlFor: 'answer'}, label), area,
                              element('p', {className: 'meta', id: 'answer-hint'}, hint))};
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
  const label = (htmlFor, ...text) => element('label', {htmlFor}, ...text);
  const node = element('details', {className: 'panel'},
      element('summary', {}, 'Change shared resources'),
      edits.map(({called, area}) => element('div', {className: 'field'},
                                            label(area.id, name(called)), area)),
      element('fieldset', {}, element('legend', {}, 'Another resource'),
              element('div', {className: 'field'}, label('new-type', 'Type'), added.type),
              element('div', {className: 'field'}, label('new-id', 'Name'), added.id),
              element('div', {className: 'field'}, label('new-value', 'Content'), added.area)));
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
  const to = element('input', {id: 'handoff', autocomplete: 'off', dir: 'auto',
                               'aria-describedby': 'handoff-hint'});
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
        element('div', {className: 'field'},
                element('label', {htmlFor: 'handoff'}, 'Hand your turn to'), to,
                element('p', {className: 'meta', id: 'handoff-hint'},
                        'A participant or a role. Your answer then says what they are to do.'))));
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
      choice('next', 'dispatch', 'Give somebody a turn'), whom,
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

/// Sends the same answer under the same key, so that sending it again after a
/// lost connection does no harm.
class Sender {
  #body = '';
  #key = '';

  constructor({token, participant}) {
    this.path = `/v1/requests/${encodeURIComponent(token)}/reply?participant=` +
                encodeURIComponent(participant.participant_id);
  }

  send(reply) {
    const body = JSON.stringify(reply);
    if (body !== this.#body) {
      this.#body = body;
      // crypto.randomUUID is missing where the page comes without TLS.
      this.#key = Array.from(crypto.getRandomValues(new Uint32Array(4)),
                             (each) => each.toString(16).padStart(8, '0')).join('');
    }
    return post(this.path, reply, this.#key);
  }
}

/// {node, focus(), setOpen(isOpen)}. `onSent` is called with what was done, in words.
export function answerForm(question, {onSent, app}) {
  const sender = new Sender(question);
  const complaint = element('p', {role: 'alert', className: 'complaint', tabIndex: -1});
  const closed = element('p', {role: 'status', className: 'complaint'});
  let sending = false;
  let open = true;

  const enable = () => node.querySelectorAll('button').forEach((each) => {
    each.disabled = !open;
  });
  const complain = (text) => {
    complaint.textContent = text;
    complaint.focus();
  };
  const send = async (make, words) => {
    if (sending || !open) {
      return;
    }
    let reply;
    complaint.textContent = '';
    try {
      reply = make();
    } catch (error) {
      if (!(error instanceof SyntaxError)) {
        throw error;
      }
      complain(`Not sent: ${error.message}.`);
      return;
    }
    sending = true;
    node.setAttribute('aria-busy', 'true');
    try {
      await sender.send(reply);
      drafts.delete(replies.keyOf(question));
      onSent(words);
      app.answered(question);
    } catch (failure) {
      if (!(failure instanceof Failure)) {
        throw failure;
      }
      app.failed(failure);
      complain(failure.mayPass
          ? `Not sent: ${failure.message}. Your answer is still here: try again.`
          : `The answer was refused: ${failure.message}`);
    } finally {
      sending = false;
      node.removeAttribute('aria-busy');
    }
  };

  const node = element('section', {className: 'answer', 'aria-labelledby': 'answer-title'},
      element('h2', {id: 'answer-title'}, 'Your answer'), closed,
      element('form', {noValidate: true}, fields[replies.formOf(question)](question, send)),
      complaint);
  node.querySelector('form').addEventListener('submit', (event) => event.preventDefault());
  return {
    node,
    focus: () => node.querySelector('input, textarea').focus(),
    setOpen(isOpen) {
      if (isOpen !== open) {
        open = isOpen;
        closed.textContent = open ? ''
            : 'This question is over: it was answered, or its time is up. What you wrote stays ' +
              'here to be copied.';
        enable();
      }
    },
  };
}
